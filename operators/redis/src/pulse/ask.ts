import { RedisFailure } from "../engine/failure.ts";
import { parseRole, type Role } from "../engine/role.ts";
import { parseInfo, type Info } from "../engine/info.ts";
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

/** What a server says in a beat. */
export interface Beat {
  readonly role: Role | undefined;
  /** The sections of INFO that were asked for. */
  readonly info: Info;
}

/** Asks a server for its role, and for these sections of INFO. */
export async function askBeat(
  server: RedisServer,
  sections: readonly string[],
  options: CallOptions,
): Promise<Beat> {
  const commands = [["ROLE"], ...sections.map((section) => ["INFO", section])];
  const [role = null, ...texts] = await server.call(commands, options);
  return {
    role: parseRole(role),
    info: parseInfo(texts.filter((text) => typeof text === "string").join("\r\n")),
  };
}
