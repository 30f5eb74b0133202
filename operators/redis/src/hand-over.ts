import type { ServerActing } from "./acting.ts";
import { connect } from "./command-servers.ts";
import { RedisFailure } from "./engine/failure.ts";
import { serverFacts, type ServerFacts } from "./engine/server-facts.ts";
import type { Command, RedisServer, Reply } from "./engine/types.ts";
import { redisPort } from "./names.ts";
import type { HandOver } from "./plan/replication/types.ts";

/** A change of roles, from and to whom, and over which connections. */
interface Change extends Pick<HandOver, "server" | "to"> {
  readonly primary: RedisServer;
  readonly successor: RedisServer;
  readonly acting: ServerActing;
}

/**
 * Writes are held back for so long at most, also when nobody is there any more to let them go on. Much longer than all of
 * the rest may take: in between nothing may be written that the successor would lack.
 */
const holdMs = 5000;
/** How long the successor may take to get what is on its way. */
const catchUpMs = 1000;
/** How long the change itself may take. */
const changeMs = 2000;
const lookMs = 5;
/**
 * The Service was moved to the successor a moment ago, and machines hear of that one after the other. Who is sent away
 * earlier comes back to the old primary, and is refused there for longer than the change takes. Writes go on meanwhile.
 */
const settleMs = 300;

/** Nobody knows yet who of the two is the primary: nothing may be undone, and the change is not given up. */
export class HandOverOpen extends Error {}

/**
 * Whether the change could be made: both answer, and the primary knows the successor by its address. A config that lets
 * replicas announce another one makes it impossible. Nobody waits for this.
 */
export async function checkHandOver(
  { server, to }: Pick<HandOver, "server" | "to">,
  acting: ServerActing,
): Promise<void> {
  using primary = connect(server, acting);
  using successor = connect(to, acting);
  const [{ followers }] = await Promise.all([factsOf(primary), factsOf(successor)]);
  if (followers.some(({ host, port }) => host === to.host && port === redisPort)) return;
  throw failed(
    `${server.pod} knows no replica at ${to.host}:${redisPort}, the address of ${to.pod}. If spec.config sets replica-announce-ip or replica-announce-port, take that away and let the replicas be restarted`,
  );
}

/**
 * Lets a primary hand over: it holds its clients' writes back, the successor gets what is on its way, and they change
 * roles. Clients are sent away then, and find the successor. What does not come about in time is undone, and the
 * primary's clients go on writing; unless the successor may have taken over by then: throws a `HandOverOpen`.
 */
export async function handOver(action: Pick<HandOver, "server" | "to">, acting: ServerActing): Promise<void> {
  using primary = connect(action.server, acting);
  using successor = connect(action.to, acting);
  const { clock } = acting.context;
  const change = { ...action, primary, successor, acting };
  // Connected before anybody waits.
  await Promise.all([factsOf(primary), factsOf(successor)]);
  await clock.sleep(settleMs, acting.context.signal);
  const held = clock.monotonic();
  let isAsked = false;
  let hasAllMs = 0;
  try {
    await say(primary, ["CLIENT", "PAUSE", String(holdMs), "WRITE"]);
    await caughtUp(change);
    hasAllMs = clock.monotonic() - held;
    // We may have been stopped meanwhile: then writes go on, and the successor lacks them.
    if (clock.monotonic() - held > holdMs - changeMs)
      throw failed(`${action.server.pod} may take writes again before it has handed over`);
    isAsked = true;
    await changeRoles(change);
  } catch (error) {
    const isUndone = (!isAsked || (await isReplica(successor))) && (await undo(primary));
    if (isAsked && !isUndone)
      throw new HandOverOpen(`${action.to.pod} may have taken over from ${action.server.pod}`, {
        cause: error,
      });
    throw error;
  }
  const changedMs = clock.monotonic() - held;
  // Sent away first: to a write that waits a refusal would look like an answer.
  await primary.call([
    ["CLIENT", "KILL", "TYPE", "normal"],
    ["CLIENT", "UNPAUSE"],
  ]);
  // For how long writes were held back, and where that time went.
  acting.context.logger.info("Handed over", {
    pod: action.server.pod,
    to: action.to.pod,
    hasAllMs: Math.round(hasAllMs),
    changedMs: Math.round(changedMs),
    heldMs: Math.round(clock.monotonic() - held),
  });
}

/**
 * Whether the primary has heard that it stays. One that has not begun says that there is nothing to abort; one that is
 * gone holds nothing back for long.
 */
async function undo(primary: RedisServer): Promise<boolean> {
  try {
    await primary.call([
      ["FAILOVER", "ABORT"],
      ["CLIENT", "UNPAUSE"],
    ]);
    return true;
  } catch (error) {
    if (!(error instanceof RedisFailure)) throw error;
    return false;
  }
}

/** Whether a server says that it follows another one. Two primaries would both take writes. */
async function isReplica(server: RedisServer): Promise<boolean> {
  try {
    return (await factsOf(server)).role === "replica";
  } catch (error) {
    if (!(error instanceof RedisFailure)) throw error;
    return false;
  }
}

async function caughtUp({ primary, successor, server, to, acting }: Change): Promise<void> {
  const { clock, signal } = acting.context;
  const { history } = await factsOf(primary);
  const end = clock.monotonic() + catchUpMs;
  for (;;) {
    const found = await factsOf(successor);
    const isFollowing = found.role === "replica" && found.history.id === history.id;
    if (!isFollowing) throw failed(`${to.pod} does not follow ${server.pod} any more`);
    if (found.history.offset >= history.offset) return;
    if (clock.monotonic() >= end)
      throw failed(`${to.pod} has not got all writes of ${server.pod} within ${catchUpMs} ms`);
    await clock.sleep(lookMs, signal);
  }
}

/** By Redis' own means. `FORCE`: Redis would wait to be told that the successor has all, once a second; we have looked. */
async function changeRoles({ primary, server, to, acting }: Change): Promise<void> {
  const { clock, signal } = acting.context;
  await say(primary, ["FAILOVER", "TO", to.host, String(redisPort), "FORCE", "TIMEOUT", "1"]);
  const end = clock.monotonic() + changeMs;
  for (;;) {
    const { role, failoverState } = await factsOf(primary);
    const isOver = failoverState === "no-failover";
    if (isOver && role === "replica") return;
    if (isOver) throw failed(`${server.pod} could not hand over to ${to.pod}`);
    if (clock.monotonic() >= end)
      throw failed(`${server.pod} has not handed over to ${to.pod} within ${changeMs} ms`);
    await clock.sleep(lookMs, signal);
  }
}

async function factsOf(server: RedisServer): Promise<ServerFacts> {
  const reply = await say(server, ["INFO", "replication"]);
  return serverFacts(typeof reply === "string" ? reply : "");
}

async function say(server: RedisServer, command: Command): Promise<Reply> {
  const [reply = null] = await server.call([command]);
  if (reply instanceof RedisFailure) throw reply;
  return reply;
}

function failed(message: string): RedisFailure {
  return new RedisFailure("ABORTED", message);
}
