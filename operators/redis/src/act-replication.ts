import { conflict, formatTime, isNotFound, type StatusError } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { writeStatus } from "@kedge/runtime";
import type { ServerActing } from "./acting.ts";
import { checkLost, fence, stopPod } from "./act-fence.ts";
import { admit, adoptServer, checkCopies, guardWrites, recordData } from "./command-servers.ts";
import { checkHandOver, handOver, HandOverOpen } from "./hand-over.ts";
import { RedisFailure } from "./engine/failure.ts";
import { RedisInstance, type ReplicationStatus } from "./kind.ts";
import { roleLabel, switchoverAnnotation } from "./names.ts";
import type { HandOver, ReplicationAction } from "./plan/replication/types.ts";

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
    case "guard writes":
      await orLater(guardWrites(action, acting), action, acting);
      return;
    case "adopt server":
      await orLater(adoptServer(action, acting), action, acting);
      return;
    case "check copies":
      await checkEpoch(action.epoch, acting);
      await orAgain(checkCopies(action, acting), acting);
      return;
    case "check hand over":
      await orGivenUp(checkHandOver(action, acting), action, acting);
      return;
    case "hand over":
      await orGivenUp(handOver(action, acting), action, acting);
      return;
    case "stop pod":
      await stopPod(action, acting);
      return;
    case "fence":
      await fence(action, acting);
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

/** A switchover that does not come to its end is over: the primary stays, and that is said. */
async function orGivenUp(work: Promise<void>, change: HandOver, acting: ServerActing): Promise<void> {
  try {
    await work;
  } catch (error) {
    const { name } = acting.instance.metadata;
    if (error instanceof HandOverOpen) throw outrun(name, error.message);
    if (!(error instanceof RedisFailure)) throw error;
    await giveUp(change, error.message, acting);
    throw outrun(name, `${error.code}: ${error.message}`);
  }
}

/** Writes down that a switchover did not come about. That it does not again is no news, unless somebody has asked. */
async function giveUp({ to, epoch, wish }: HandOver, message: string, acting: ServerActing): Promise<void> {
  const { context, instance } = acting;
  const { namespace, name } = instance.metadata;
  const newest = context.read(RedisInstance).get({ namespace, name }) ?? instance;
  const { target: _, ...present } = newest.status?.replication ?? { epoch: 0, primary: "" };
  if (present.epoch !== epoch) return;
  const why = `The switchover to ${to.pod} was given up: ${message}.`;
  const givenUp = {
    times: (present.givenUp?.times ?? 0) + 1,
    at: formatTime(context.clock.now()),
    why,
  };
  await writeStatus(context, RedisInstance, newest, {
    ...newest.status,
    replication: { ...present, givenUp },
  });
  if (present.givenUp === undefined || wish !== undefined)
    context.events.record(instance, { type: "Warning", reason: "SwitchoverAborted", message: why });
  if (wish !== undefined)
    await clearAnnotation(
      { type: "clear annotation", annotation: switchoverAnnotation, value: wish },
      acting,
    );
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

/** From the server itself: who was paused since it took the epoch may have been overtaken. */
async function checkEpoch(epoch: number, { context, instance }: ServerActing): Promise<void> {
  const { namespace, name, uid } = instance.metadata;
  const now = await context.client.of(RedisInstance).get({ namespace, name }, { signal: context.signal });
  const present = now.status?.replication?.epoch;
  if (now.metadata.uid !== uid || present !== epoch) {
    throw outrun(name, `epoch ${epoch} is over, it is ${present ?? "nobody's"}`);
  }
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
