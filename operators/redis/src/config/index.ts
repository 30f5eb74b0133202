export { checkValue } from "./check-value.ts";
export { directiveGroups } from "./directives.ts";
export { serverOf } from "./image-server.ts";
