export { addControllers, type ControllersOptions } from "./add-controllers.ts";
