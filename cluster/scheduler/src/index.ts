export { schedulerController } from "./scheduler.ts";
