import type { Authorizer } from "./types.ts";

/** Asks one after the other: the first that allows decides; else all their reasons are told. */
export function unionOf(authorizers: readonly Authorizer[]): Authorizer {
  return (attributes) => {
    const reasons: string[] = [];
    for (const authorizer of authorizers) {
      const decision = authorizer(attributes);
      if (decision.allowed) return decision;
      if (decision.reason !== undefined && decision.reason !== "") reasons.push(decision.reason);
    }
    return { allowed: false, ...(reasons.length > 0 && { reason: reasons.join("\n") }) };
  };
}

/** Members of `system:masters` may do everything, whatever roles say. */
export const privilegedGroup: Authorizer = ({ user }) => ({
  allowed: user.groups.includes("system:masters"),
});
