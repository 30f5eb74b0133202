import { conflict, ifFound, isNotFound, uid as podUid, type DeepReadonly } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ServerActing } from "./acting.ts";
import { RedisFailure } from "./engine/failure.ts";
import { RedisInstance } from "./kind.ts";
import { redisPort } from "./names.ts";
import type { LostPrimary, ReplicationAction } from "./plan/replication/types.ts";
import { systemLogin } from "./system-secret.ts";
import { probeUser } from "./users.ts";

/**
 * Stops a primary that hangs before another one opens: what its clients have sent it must not be acknowledged any more
 * when it goes on. Its pod kills it (`preStop`), and that is waited for as long as its machine answers and may still do
 * so. A machine that does not even answer cannot be told anything: writes do not wait for it.
 */
export async function fence(
  { pod, uid, host, asksFirst }: Extract<ReplicationAction, { type: "fence" }>,
  acting: ServerActing,
): Promise<void> {
  const { context, instance } = acting;
  const { clock, signal } = context;
  if (asksFirst && host !== undefined && (await lastWordOf(host, acting)) === "answers")
    throw conflict(RedisInstance, instance.metadata.name, `${pod} answers again`);
  const key = { namespace: instance.metadata.namespace, name: pod };
  const isThere = await deletePod(acting, { pod, uid, gracePeriodSeconds: 1 });
  if (!isThere || host === undefined) return;
  const began = clock.monotonic();
  for (;;) {
    if (!isRunning(context.read(Pod).get(key), uid)) return;
    const said = await lastWordOf(host, acting);
    if (said === "ended") return;
    if (said === "answers") throw conflict(RedisInstance, instance.metadata.name, `${pod} answers again`);
    const patienceMs = said === "hangs" ? fenceMs.reached : fenceMs.unreached;
    if (clock.monotonic() - began >= patienceMs) return;
    await clock.sleep(25, signal);
  }
}

/** How long the end of a server is waited for: where its machine answers, and where it does not. Writes wait meanwhile. */
const fenceMs = { reached: 5000, unreached: 300 } as const;

/** Lets a pod end in its own time. */
export async function stopPod(
  { pod, uid }: Extract<ReplicationAction, { type: "stop pod" }>,
  acting: ServerActing,
): Promise<void> {
  await deletePod(acting, { pod, uid });
}

/**
 * What was seen may be old, if we were paused: a primary that has come back by itself meanwhile, and takes writes, is not
 * given up. Its pod as the API server knows it must be the one that was seen, and must not answer. Who was asked a moment
 * ago, and hung, is not asked again: writes wait.
 */
export async function checkLost(
  { pod, uid, missedAt = -Infinity }: LostPrimary,
  acting: ServerActing,
): Promise<void> {
  const { context, instance } = acting;
  const { namespace, name } = instance.metadata;
  if (context.clock.monotonic() - missedAt < freshMs) return;
  const found = await ifFound(
    context.client.of(Pod).get({ namespace, name: pod }, { signal: context.signal }),
  );
  if (found !== undefined && found.metadata.uid !== uid)
    throw conflict(RedisInstance, name, `${pod} is another pod now`);
  const host = found?.status?.podIP;
  if (host === undefined) return;
  const said = await lastWordOf(host, acting);
  if (said === "answers") throw conflict(RedisInstance, name, `${pod} answers again`);
}

/** Less than anything that was paused has missed, and than a server needs to come back. */
const freshMs = 400;

/** How long a primary that is given up may take to say that it is alive. Writes wait meanwhile. */
const lastWordMs = 150;

/** What a server that was silent does now, on a connection of its own. */
async function lastWordOf(
  host: string,
  { context, instance, engine }: ServerActing,
): Promise<"answers" | "ended" | "hangs" | "unreached"> {
  const login = systemLogin(context, instance, probeUser);
  if (login === undefined) return "unreached";
  using server = engine.server({ host, port: redisPort }, login, { isOneConnection: true });
  try {
    await server.call([["PING"]], { timeoutMs: lastWordMs, signal: context.signal });
    return "answers";
  } catch (error) {
    if (!(error instanceof RedisFailure) || error.code === "ABORTED") throw error;
    if (error.isReply) return "answers";
    if (error.code === "REFUSED") return "ended";
    return error.wasReached ? "hangs" : "unreached";
  }
}

/** That very pod. Gives whether it was there. */
async function deletePod(
  { context, instance }: ServerActing,
  {
    pod,
    uid,
    ...options
  }: { readonly pod: string; readonly uid: string; readonly gracePeriodSeconds?: number },
): Promise<boolean> {
  const key = { namespace: instance.metadata.namespace, name: pod };
  try {
    const { signal } = context;
    await context.client.of(Pod).delete(key, { signal, ...options, preconditions: { uid: podUid(uid) } });
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return false;
  }
}

function isRunning(pod: DeepReadonly<Pod> | undefined, uid: string): boolean {
  if (pod?.metadata.uid !== uid) return false;
  return pod.status?.containerStatuses?.some(({ state }) => state?.running !== undefined) ?? false;
}
