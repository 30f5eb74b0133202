import type { ServerActing } from "./acting.ts";
import { RedisFailure } from "./engine/failure.ts";
import { parseRole } from "./engine/role.ts";
import type { Command, RedisServer, Reply } from "./engine/types.ts";
import { redisPort } from "./names.ts";
import { clientPassword, systemKey } from "./system-secret.ts";
import type { Admission, ReplicationAction, ServerTarget } from "./plan/replication/types.ts";
import {
  everything,
  operatorUser,
  otherRecords,
  outdatedUsers,
  passwordHash,
  readRecord,
  recordUser,
  startUser,
  systemPassword,
  systemUserLines,
} from "./users.ts";

/**
 * Admits a server to an epoch, all at once or not at all: the user of that epoch comes, those of older ones go and with
 * them the connections of whoever believes in them, and the server takes its role. It is written to the server's own
 * volume.
 */
export async function admit(
  { server: target, epoch, role, follow, cutClients }: Admission,
  acting: ServerActing,
): Promise<void> {
  using server = connect(target, acting);
  const users = await usersOf(server);
  const { epoch: known } = readRecord(users);
  if (known > epoch) throw new RedisFailure("ABORTED", `${target.pod} knows epoch ${known} already.`);
  const user = operatorUser(epoch);
  const password = systemPassword(keyOf(acting), user);
  const record = recordUser("primary", epoch);
  const gone = [
    ...outdatedUsers(users, epoch),
    ...(users.includes(startUser) ? [startUser] : []),
    ...(role === "primary" ? otherRecords(users, record) : []),
  ];
  await transact(server, [
    ["ACL", "SETUSER", user, "reset", "on", `#${passwordHash(password)}`, ...everything.split(" ")],
    // The one that this connection was made as is about to go.
    ["AUTH", user, password],
    ...(gone.length > 0 ? [["ACL", "DELUSER", ...gone]] : []),
    ...(role === "primary" ? [["ACL", "SETUSER", record, "reset", "off"]] : []),
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

/** How long Redis may take until the successor has all writes. Clients wait for so long at most. */
const handOverMs = 3000;

/** Lets a primary hand over: it holds its clients' writes until the successor has all, then they change roles. */
export async function handOver(
  { server: target, to }: Extract<ReplicationAction, { type: "hand over" }>,
  acting: ServerActing,
): Promise<void> {
  const { clock, signal } = acting.context;
  using server = connect(target, acting);
  const [reply = null] = await server.call(
    [["FAILOVER", "TO", to.host, String(redisPort), "TIMEOUT", String(handOverMs)]],
    { signal },
  );
  if (reply instanceof RedisFailure) throw reply;
  const end = clock.monotonic() + handOverMs + 1000;
  while (clock.monotonic() < end) {
    const [role = null, info] = await server.call([["ROLE"], ["INFO", "replication"]], { signal });
    if (parseRole(role)?.role === "replica") return;
    if (typeof info === "string" && info.includes("master_failover_state:no-failover")) break;
    await clock.sleep(10, signal);
  }
  throw new RedisFailure(
    "TIMEOUT",
    `${target.pod} has not handed over to ${to.pod} within ${handOverMs} ms.`,
  );
}

/**
 * Gives a server the users of the system: one that an earlier version of this operator has made, or one that was given
 * those of a Secret that is lost. As the user that clients are, because there is no other.
 */
export async function adoptServer(
  { pod, host }: Extract<ReplicationAction, { type: "adopt server" }>,
  acting: ServerActing,
): Promise<void> {
  const password = clientPassword(acting.context, acting.instance);
  const login = password === undefined ? undefined : { username: "default", password };
  using server = acting.engine.server({ host, port: redisPort }, login, { isOneConnection: true });
  // Beside the passwords that they have: the pod's own probes may know these alone.
  const commands = systemUserLines(keyOf(acting)).map((line): Command => {
    const [, user = "", ...rules] = line.split(" ");
    return ["ACL", "SETUSER", user, ...rules];
  });
  await transact(server, [...commands, ["ACL", "SAVE"]]);
  acting.context.logger.info("Adopted", { pod });
}

/** As whom it obeys, over one connection: what was read on it holds for what is said on it. */
function connect({ host, as }: ServerTarget, acting: ServerActing): RedisServer {
  const login = { username: as, password: systemPassword(keyOf(acting), as) };
  return acting.engine.server({ host, port: redisPort }, login, { isOneConnection: true });
}

function keyOf({ context, instance }: ServerActing): string {
  const key = systemKey(context, instance);
  if (key === undefined) throw new RedisFailure("ABORTED", "The Secret of the system's users is not there.");
  return key;
}

async function usersOf(server: RedisServer): Promise<readonly string[]> {
  const [reply = null] = await server.call([["ACL", "USERS"]]);
  if (reply instanceof RedisFailure) throw reply;
  const users: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return users.filter((user): user is string => typeof user === "string");
}

/** All commands or none. What cannot be written to the disk is not undone for it: the server goes on, and says so. */
async function transact(server: RedisServer, commands: readonly Command[]): Promise<void> {
  const replies = await server.call([["MULTI"], ...commands, ["EXEC"]], { timeoutMs: 2000 });
  const done: Reply = replies.at(-1) ?? null;
  if (done instanceof RedisFailure) throw done;
  const results: readonly unknown[] = Array.isArray(done) ? done : [];
  for (const [i, result] of results.entries()) {
    const isSave = commands[i]?.[1] === "SAVE";
    if (result instanceof RedisFailure && !isSave) throw result;
  }
}
