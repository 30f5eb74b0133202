import type { Reply } from "./types.ts";

/** What ROLE says: quicker than INFO, and allowed while a server loads. */
export type Role =
  | { readonly role: "primary"; readonly offset: number; readonly followers: readonly RoleFollower[] }
  | {
      readonly role: "replica";
      readonly host: string;
      readonly port: number;
      /** `connect`, `connecting`, `sync`, `connected`, and `none` or `handshake` in between. */
      readonly state: string;
      /** -1 while it has none. */
      readonly offset: number;
    };

/** A replica as its primary names it. */
export interface RoleFollower {
  readonly host: string;
  readonly port: number;
  readonly offset: number;
}

/** Reads a reply to ROLE; undefined when it is none. */
export function parseRole(reply: Reply): Role | undefined {
  if (!isList(reply)) return undefined;
  const [role, first, second, state, offset] = reply;
  if (role === "master" && typeof first === "number") {
    const followers = isList(second ?? null) ? listOf(second) : [];
    return { role: "primary", offset: first, followers: followers.flatMap((one) => followerOf(one)) };
  }
  if (role !== "slave" || typeof first !== "string") return undefined;
  return {
    role: "replica",
    host: first,
    port: Number(second),
    state: typeof state === "string" ? state : "none",
    offset: typeof offset === "number" ? offset : -1,
  };
}

function followerOf(reply: Reply): readonly RoleFollower[] {
  const [host, port, offset] = listOf(reply);
  return typeof host === "string" ? [{ host, port: Number(port), offset: Number(offset) }] : [];
}

function listOf(reply: Reply | undefined): readonly Reply[] {
  return reply !== undefined && isList(reply) ? reply : [];
}

function isList(reply: Reply): reply is readonly Reply[] {
  return Array.isArray(reply);
}
