import {
  conflict,
  formatTime,
  ifFound,
  isNotFound,
  uid as podUid,
  type DeepReadonly,
  type StatusError,
} from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { writeStatus } from "@kedge/runtime";
import type { ServerActing } from "./acting.ts";
import { admit, adoptServer, handOver, recordData } from "./command-servers.ts";
import { RedisFailure } from "./engine/failure.ts";
import { RedisInstance, type ReplicationStatus } from "./kind.ts";
import { redisPort, roleLabel } from "./names.ts";
import type { LostPrimary, ReplicationAction } from "./plan/replication/types.ts";
import { systemKey } from "./system-secret.ts";
import { probeUser, systemPassword } from "./users.ts";

/** Does one thing about replication. */
export async function actOnReplication(action: ReplicationAction, acting: ServerActing): Promise<void> {
  switch (action.type) {
    case "take epoch":
      await takeEpoch(action, acting);
      return;
    case "admit":
      if (action.role === "primary") await checkEpoch(action.epoch, acting);
      await (action.isNeeded
        ? orAgain(admit(action, acting), acting)
        : orLater(admit(action, acting), action, acting));
      return;
    case "record data":
      await orLater(recordData(action, acting), action, acting);
      return;
    case "adopt server":
      await orLater(adoptServer(action, acting), action, acting);
      return;
    case "hand over":
      await orAgain(handOver(action, acting), acting);
      return;
    case "stop pod":
      await stopPod(action, acting);
      return;
    case "label pod":
      await labelPod(action, acting);
      return;
    case "clear annotation":
      await clearAnnotation(action, acting);
  }
}

/** A server that does not do what it is told is seen to in the next run; the others must not wait for it. */
async function orLater(
  work: Promise<void>,
  { type }: ReplicationAction,
  { context }: ServerActing,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RedisFailure)) throw error;
    context.logger.info("A server has not obeyed yet", {
      action: type,
      code: error.code,
      why: error.message,
    });
  }
}

/** A server that is not as it was seen is looked at again: that says nothing about the instance. */
async function orAgain(work: Promise<void>, { instance }: ServerActing): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RedisFailure)) throw error;
    throw outrun(instance.metadata.name, `${error.code}: ${error.message}`);
  }
}

function outrun(name: string, why: string): StatusError {
  return conflict(RedisInstance, name, why);
}

/** Only over the status that the plan was made for: whoever else took an epoch since was first. */
async function takeEpoch(
  { before, next, lost }: Extract<ReplicationAction, { type: "take epoch" }>,
  acting: ServerActing,
): Promise<void> {
  const { context, instance } = acting;
  const { namespace, name } = instance.metadata;
  const newest = context.read(RedisInstance).get({ namespace, name }) ?? instance;
  const present = newest.status?.replication;
  if (present?.epoch !== before?.epoch || present?.primary !== before?.primary) {
    throw outrun(name, `epoch ${present?.epoch ?? 0} was taken by somebody else`);
  }
  if (lost !== undefined) await checkLost(lost, acting);
  const since = formatTime(context.clock.now());
  const replication: ReplicationStatus = { ...next, since };
  await writeStatus(context, RedisInstance, newest, { ...newest.status, replication });
  const from = before?.primary;
  if (from === undefined || from === next.primary) return;
  const isPlanned = before !== undefined && "target" in before && before.target === next.primary;
  context.events.record(instance, {
    type: isPlanned ? "Normal" : "Warning",
    reason: isPlanned ? "Switchover" : "Failover",
    message:
      `${next.primary} is the primary instead of ${from}, epoch ${next.epoch}. ${next.cause ?? ""}`.trim(),
  });
}

/** How long a primary that is given up may take to say that it is alive. Writes wait meanwhile. */
const lastWordMs = 150;

/**
 * What was seen may be old, if we were paused: a primary that has come back by itself meanwhile, and takes writes, is not
 * given up. Its pod as the API server knows it must be the one that was seen, and must not answer.
 */
async function checkLost({ pod, uid }: LostPrimary, acting: ServerActing): Promise<void> {
  const { context, instance, engine } = acting;
  const { namespace, name } = instance.metadata;
  const { signal } = context;
  const found = await ifFound(context.client.of(Pod).get({ namespace, name: pod }, { signal }));
  if (found !== undefined && found.metadata.uid !== uid) throw outrun(name, `${pod} is another pod now`);
  const [host, key] = [found?.status?.podIP, systemKey(context, instance)];
  if (host === undefined || key === undefined) return;
  const login = { username: probeUser, password: systemPassword(key, probeUser) };
  using server = engine.server({ host, port: redisPort }, login, { isOneConnection: true });
  try {
    await server.call([["PING"]], { timeoutMs: lastWordMs, signal });
  } catch (error) {
    if (!(error instanceof RedisFailure) || error.code === "ABORTED") throw error;
    if (!error.isReply) return;
  }
  throw outrun(name, `${pod} answers again`);
}

/** From the server itself: who was paused since it took the epoch may have been overtaken. */
async function checkEpoch(epoch: number, { context, instance }: ServerActing): Promise<void> {
  const { namespace, name, uid } = instance.metadata;
  const now = await context.client.of(RedisInstance).get({ namespace, name }, { signal: context.signal });
  const present = now.status?.replication?.epoch;
  if (now.metadata.uid !== uid || present !== epoch) {
    throw outrun(name, `epoch ${epoch} is over, it is ${present ?? "nobody's"}`);
  }
}

/** How long the end of a server that hangs is waited for. Its node may be gone, and writes wait meanwhile. */
const stopWaitMs = 300;

async function stopPod(
  { pod, uid, graceSeconds }: Extract<ReplicationAction, { type: "stop pod" }>,
  { context, instance }: ServerActing,
): Promise<void> {
  const key = { namespace: instance.metadata.namespace, name: pod };
  try {
    await context.client.of(Pod).delete(key, {
      signal: context.signal,
      ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
      preconditions: { uid: podUid(uid) },
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return;
  }
  // A pod that is replaced in order ends when it is done.
  if (graceSeconds === undefined) return;
  const end = context.clock.monotonic() + stopWaitMs;
  while (context.clock.monotonic() < end && isRunning(context.read(Pod).get(key), uid)) {
    await context.clock.sleep(25, context.signal);
  }
}

function isRunning(pod: DeepReadonly<Pod> | undefined, uid: string): boolean {
  if (pod?.metadata.uid !== uid) return false;
  return pod.status?.containerStatuses?.some(({ state }) => state?.running !== undefined) ?? false;
}

async function labelPod(
  { pod, uid, role }: Extract<ReplicationAction, { type: "label pod" }>,
  { context, instance }: ServerActing,
): Promise<void> {
  const change = { metadata: { uid, labels: { [roleLabel]: role } } };
  try {
    await context.client
      .of(Pod)
      .patch(
        { namespace: instance.metadata.namespace, name: pod },
        { merge: change },
        { signal: context.signal },
      );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function clearAnnotation(
  { annotation, value }: Extract<ReplicationAction, { type: "clear annotation" }>,
  { context, instance }: ServerActing,
): Promise<void> {
  const { namespace, name, uid } = instance.metadata;
  const newest = context.read(RedisInstance).get({ namespace, name });
  if (newest?.metadata.annotations?.[annotation] !== value) return;
  const change = {
    metadata: { uid, resourceVersion: newest.metadata.resourceVersion, annotations: { [annotation]: null } },
  };
  await context.client
    .of(RedisInstance)
    .patch({ namespace, name }, { merge: change }, { signal: context.signal });
}
