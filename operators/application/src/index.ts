export { applicationOperator } from "./operator.ts";
export { Application } from "./kind.ts";
