export { applicationControllers } from "./controllers.ts";
export { Application, applicationKinds } from "./kind.ts";
