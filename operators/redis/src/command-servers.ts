import type { ServerActing } from "./acting.ts";
import { mostLagSeconds } from "./config/durability.ts";
import { clientUser, userRules } from "./credentials/users-text.ts";
import { RedisFailure } from "./engine/failure.ts";
import { serverFacts, type ServerFacts } from "./engine/server-facts.ts";
import { transact } from "./engine/transact.ts";
import type { Command, Login, RedisServer } from "./engine/types.ts";
import { redisPort } from "./names.ts";
import { rememberPasswords } from "./act-system-secret.ts";
import { clientLogin, systemContent, systemLogin } from "./system-secret.ts";
import type { Admission, ReplicationAction, ServerTarget } from "./plan/replication/types.ts";
import {
  commanding,
  operatorUser,
  otherRecords,
  outdatedUsers,
  passwordHash,
  readRecord,
  recordUser,
  startUser,
  systemPassword,
} from "./users.ts";

/**
 * Admits a server to an epoch, all at once or not at all: the user of that epoch comes, those of older ones go and with
 * them the connections of whoever believes in them, and the server takes its role. It is written to the server's own
 * volume.
 */
export async function admit(
  { server: target, epoch, role, follow, cutClients, abortsFailover }: Admission,
  acting: ServerActing,
): Promise<void> {
  using server = connect(target, acting);
  const users = await usersOf(server);
  const { epoch: known } = readRecord(users);
  if (known > epoch) throw new RedisFailure("ABORTED", `${target.pod} knows epoch ${known} already.`);
  const user = operatorUser(epoch);
  const { password } = loginAs(user, acting);
  const record = recordUser("primary", epoch);
  const gone = [
    ...outdatedUsers(users, epoch),
    ...(users.includes(startUser) ? [startUser] : []),
    ...(role === "primary" ? otherRecords(users, record) : []),
  ];
  await transact(server, [
    ["ACL", "SETUSER", user, "reset", "on", ...hashesOf(user, acting), ...commanding.split(" ")],
    // The one that this connection was made as is about to go.
    ["AUTH", user, password],
    ...(gone.length > 0 ? [["ACL", "DELUSER", ...gone]] : []),
    ...(role === "primary" ? [["ACL", "SETUSER", record, "reset", "off"]] : []),
    // A role is not changed in the middle of a FAILOVER. In one go: nobody may write in between.
    ...(abortsFailover ? [["FAILOVER", "ABORT"]] : []),
    role === "primary" ? ["REPLICAOF", "NO", "ONE"] : ["REPLICAOF", follow, String(redisPort)],
    ["ACL", "SAVE"],
    ...(cutClients ? [["CLIENT", "KILL", "TYPE", "normal"]] : []),
  ]);
  acting.context.logger.info("Admitted", { pod: target.pod, role, epoch });
}

/** Writes down that a replica has the data of an epoch. */
export async function recordData(
  { server: target, epoch }: Extract<ReplicationAction, { type: "record data" }>,
  acting: ServerActing,
): Promise<void> {
  using server = connect(target, acting);
  const record = recordUser("replica", epoch);
  const gone = otherRecords(await usersOf(server), record);
  await transact(server, [
    ["ACL", "SETUSER", record, "reset", "off"],
    ...(gone.length > 0 ? [["ACL", "DELUSER", ...gone]] : []),
    ["ACL", "SAVE"],
  ]);
}

/** What was seen may be old, if we were paused: throws unless the primary serves now, and the replicas follow it. */
export async function checkCopies(
  { primary, replicas }: Pick<Extract<ReplicationAction, { type: "check copies" }>, "primary" | "replicas">,
  acting: ServerActing,
): Promise<void> {
  const look = async (target: ServerTarget): Promise<ServerFacts> => {
    using server = connect(target, acting);
    const [reply = null] = await server.call([["INFO", "replication"]]);
    if (reply instanceof RedisFailure) throw reply;
    return serverFacts(typeof reply === "string" ? reply : "");
  };
  const [head, ...others] = await Promise.all([look(primary), ...replicas.map(look)]);
  const isCopy = ({ upstream, history }: ServerFacts): boolean =>
    upstream?.isUp === true && !upstream.isSyncing && history.id === head.history.id;
  if (head.role !== "primary" || !others.every(isCopy))
    throw new RedisFailure(
      "ABORTED",
      `A copy of the data is kept: the other servers do not all follow ${primary.pod} any more.`,
    );
}

/** Lets a server refuse writes while fewer replicas than this have its writes, or none. Not for its next start. */
export async function guardWrites(
  { server: target, replicas }: Extract<ReplicationAction, { type: "guard writes" }>,
  acting: ServerActing,
): Promise<void> {
  using server = connect(target, acting);
  const lag = ["min-replicas-max-lag", String(mostLagSeconds.normal)];
  const [reply = null] = await server.call([
    ["CONFIG", "SET", "min-replicas-to-write", String(replicas), ...(replicas > 0 ? lag : [])],
  ]);
  if (reply instanceof RedisFailure) throw reply;
  acting.context.logger.info("Writes guarded", { pod: target.pod, replicas });
}

/**
 * Gives a server the users of the system: one that an earlier version of this operator has made, or one that was given
 * those of a Secret that is lost. As the user that clients are, because there is no other. What it accepts until now is
 * written down first: probes, replicas and clients come with it for a while.
 */
export async function adoptServer(
  { pod, host }: Extract<ReplicationAction, { type: "adopt server" }>,
  acting: ServerActing,
): Promise<void> {
  const login = clientLogin(acting.context, acting.instance);
  using server = acting.engine.server({ host, port: redisPort }, login, { isOneConnection: true });
  // Beside the passwords that they have: the pod's own probes may know these alone.
  const content = systemContent(acting.context, acting.instance);
  if (content === undefined) return;
  const known = await Promise.all(
    Object.keys(content.state.accounts).map(async (user) => {
      const { hashes } = await aclUser(server, user);
      return [user, hashes] as const;
    }),
  );
  await rememberPasswords(acting, Object.fromEntries(known));
  const commands = userRules(content.state)
    .filter(([user]) => user !== clientUser)
    .map(([user, rules]): Command => ["ACL", "SETUSER", user, ...rules]);
  await transact(server, [...commands, ["ACL", "SAVE"]]);
  acting.context.logger.info("Adopted", { pod });
}

/** As whom it obeys, over one connection: what was read on it holds for what is said on it. */
export function connect({ host, as }: ServerTarget, acting: ServerActing): RedisServer {
  const login = loginAs(as, acting);
  return acting.engine.server({ host, port: redisPort }, login, { isOneConnection: true });
}

/** Of all keys that there are now: one that follows must let us in, too. */
function hashesOf(user: string, { context, instance }: ServerActing): readonly string[] {
  const { key, nextKey } = systemContent(context, instance) ?? {};
  return [key, nextKey].flatMap((one) =>
    one === undefined ? [] : [`#${passwordHash(systemPassword(one, user))}`],
  );
}

function loginAs(user: string, { context, instance }: ServerActing): Login {
  const login = systemLogin(context, instance, user);
  if (login === undefined)
    throw new RedisFailure("ABORTED", "The Secret of the system's users is not there.");
  return login;
}

/** What a server knows of a user: the hashes of its passwords, and the patterns of its keys. Nothing where there is none. */
export async function aclUser(
  server: RedisServer,
  user: string,
): Promise<{ readonly hashes: readonly string[]; readonly keys: readonly string[] }> {
  const [reply = null] = await server.call([["ACL", "GETUSER", user]]);
  if (reply instanceof RedisFailure) throw reply;
  const fields: readonly unknown[] = Array.isArray(reply) ? reply : [];
  // A list, or, since Redis 7, patterns as they are in a rule.
  const words = (name: string): readonly string[] => {
    const value = fields[fields.indexOf(name) + 1];
    const all: unknown = typeof value === "string" ? value.split(" ") : value;
    if (!Array.isArray(all)) return [];
    return all.filter((word): word is string => typeof word === "string" && word !== "");
  };
  if (fields.length === 0) return { hashes: [], keys: [] };
  return { hashes: words("passwords"), keys: words("keys").map((word) => word.replace(/^~/u, "")) };
}

async function usersOf(server: RedisServer): Promise<readonly string[]> {
  const [reply = null] = await server.call([["ACL", "USERS"]]);
  if (reply instanceof RedisFailure) throw reply;
  const users: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return users.filter((user): user is string => typeof user === "string");
}
