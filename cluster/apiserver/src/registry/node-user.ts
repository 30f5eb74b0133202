import type { User } from "./types.ts";

const prefix = "system:node:";

/** The name of the node that a user is the agent of; undefined for all other users. */
export function nodeOfUser({ name, groups }: User): string | undefined {
  return name.startsWith(prefix) && groups.includes("system:nodes") ? name.slice(prefix.length) : undefined;
}
