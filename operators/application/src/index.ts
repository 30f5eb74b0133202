export { applicationControllers } from "./controllers.ts";
export { Application, applicationKinds, applicationPhases, type ApplicationPhase } from "./kind.ts";
