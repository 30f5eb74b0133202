export { addControllers, type ControllersOptions } from "./add-controllers.ts";
export { provisioner as localPathProvisioner } from "./volumes/names.ts";
