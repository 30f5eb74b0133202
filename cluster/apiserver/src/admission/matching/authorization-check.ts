import type { Asked, AuthorizationCheck } from "@kedge/validation";
import { groupsOfAccount, userOfAccount } from "../../auth/service-account-user.ts";
import type { Authorizer } from "../../auth/types.ts";
import type { User } from "../../registry/types.ts";

/** Answers what expressions ask of `authorizer`: about the user of the request, or about a service account. */
export function authorizationCheck(authorizer: Authorizer, user: User): AuthorizationCheck {
  const known = new Map<string, ReturnType<AuthorizationCheck>>();
  return (asked) => {
    const key = JSON.stringify(asked);
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = decide(authorizer, user, asked);
    known.set(key, made);
    return made;
  };
}

function decide(
  authorizer: Authorizer,
  sender: User,
  { serviceAccount, verb, path = "", resource }: Asked,
): ReturnType<AuthorizationCheck> {
  const user =
    serviceAccount === undefined
      ? sender
      : { name: userOfAccount(serviceAccount), groups: groupsOfAccount(serviceAccount.namespace) };
  if (resource === undefined) {
    const { allowed, reason = "" } = authorizer({ user, verb, path });
    return { allowed, reason };
  }
  const { labelSelector: _, ...asked } = resource;
  const { allowed, reason = "" } = authorizer({ user, verb, path: "", resource: { ...asked, version: "*" } });
  return { allowed, reason };
}
