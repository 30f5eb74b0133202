import { RedisFailure } from "../engine/failure.ts";
import { parseRole, type Role } from "../engine/role.ts";
import { serverFacts } from "../engine/server-facts.ts";
import type { CallOptions, RedisServer } from "../engine/types.ts";
import type { Answer } from "./types.ts";

/** Asks a server for all that decisions are made of. */
export async function askAll(server: RedisServer, options: CallOptions): Promise<Answer> {
  const [users, info] = await server.call([["ACL", "USERS"], ["INFO"]], options);
  if (users instanceof RedisFailure) throw users;
  if (info instanceof RedisFailure) throw info;
  if (typeof info !== "string" || !Array.isArray(users)) throw new RedisFailure("PROTOCOL", "no INFO");
  const names: readonly unknown[] = users;
  return {
    facts: serverFacts(info),
    users: names.filter((name): name is string => typeof name === "string"),
  };
}

/** Asks a server for its role. */
export async function askRole(server: RedisServer, options: CallOptions): Promise<Role | undefined> {
  const [reply = null] = await server.call([["ROLE"]], options);
  return parseRole(reply);
}
