import type { Attributes, AuthorizerMaker } from "./types.ts";

/**
 * What Kubernetes' own roles allow before anybody has written one: `system:masters` may do everything, whoever has
 * authenticated may look at what is served and ask about themselves, and everybody may ask for health and version.
 */
export const defaultAuthorizer: AuthorizerMaker = () => (attributes) => ({
  allowed:
    attributes.user.groups.includes("system:masters") ||
    (attributes.resource === undefined ? mayGetPath(attributes) : mayAskOfSelf(attributes)),
});

const everybody = /^\/(?:healthz|livez|readyz|version\/?)$/u;
const authenticated = /^\/(?:api|apis|openapi)(?:\/.*)?$/u;

function mayGetPath({ user, verb, path }: Attributes): boolean {
  if (verb !== "get") return false;
  return everybody.test(path) || (isAuthenticated(user) && authenticated.test(path));
}

const selfReviews: ReadonlyMap<string, readonly string[]> = new Map([
  ["authorization.k8s.io", ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]],
  ["authentication.k8s.io", ["selfsubjectreviews"]],
]);

function mayAskOfSelf({ user, verb, resource }: Attributes): boolean {
  return (
    resource !== undefined &&
    verb === "create" &&
    isAuthenticated(user) &&
    selfReviews.get(resource.group)?.includes(resource.plural) === true
  );
}

function isAuthenticated({ groups }: Attributes["user"]): boolean {
  return groups.includes("system:authenticated");
}
