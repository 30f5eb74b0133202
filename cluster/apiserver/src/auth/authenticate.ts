import { unauthorized, type ApiHeaders } from "@kedge/machinery";
import type { User } from "../registry/types.ts";
import { headerOf } from "../request/header.ts";
import type { Authenticator } from "./types.ts";

/** Requests without credentials. */
/** Who is nobody in particular. */
export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Who sends a request: by client certificate (`known`), else by bearer token, else anonymous. Throws a 401. */
export function authenticate(
  known: User | "refused" | undefined,
  headers: ApiHeaders,
  authenticator: Authenticator,
): User {
  if (known === "refused") throw unauthorized("Unauthorized");
  if (known !== undefined) return withGroup(known);
  const found = authenticator(headers);
  if (found !== undefined && found !== "refused") return withGroup(found);
  const hasToken = /^bearer +\S/iu.test(headerOf(headers, "authorization"));
  if (found === "refused" || hasToken) throw unauthorized("Unauthorized");
  return anonymous;
}

/** Whoever is known belongs to the authenticated. */
export function withGroup(user: User): User {
  const { groups } = user;
  if (groups.includes("system:authenticated") || groups.includes("system:unauthenticated")) return user;
  return { ...user, groups: [...user.groups, "system:authenticated"] };
}
