import { isConditionTrue, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import type { RedisInstance } from "./kind.ts";
import { podOrdinal, roleLabel } from "./names.ts";
import type { Pulse } from "./pulse/pulse.ts";
import type { Sighting } from "./pulse/types.ts";
import type { ServerView } from "./server-view.ts";
import { systemLogin } from "./system-secret.ts";
import { probeUser, readRecord } from "./users.ts";

type Context = Pick<ReconcileContext<RedisInstance>, "read" | "signal">;

/** Asks the servers of all pods at once. One that does not answer holds nobody up for longer than a look takes. */
export async function observeServers(
  context: Context,
  instance: DeepReadonly<RedisInstance>,
  { pods, pulse }: { readonly pods: readonly DeepReadonly<Pod>[]; readonly pulse: Pulse },
): Promise<readonly ServerView[]> {
  const { namespace, name, deletionTimestamp } = instance.metadata;
  const login = systemLogin(context, instance, probeUser);
  const targets = pods.flatMap(({ metadata: { uid }, status }) => {
    const isRunning = status?.containerStatuses?.some(({ state }) => state?.running !== undefined) ?? false;
    const host = status?.podIP;
    const isAsked = login !== undefined && deletionTimestamp === undefined;
    return isAsked && host !== undefined && isRunning ? [{ uid, host, login }] : [];
  });
  const found = await pulse.look({ namespace, name }, targets, {
    // A server without replicas has nobody to take over: its own restart is all that there is.
    isKept: instance.spec.replicas > 1 || pods.length > 1,
    signal: context.signal,
  });
  return pods
    .map((pod) => viewOf(pod, found.get(pod.metadata.uid)))
    .toSorted((one, other) => one.ordinal - other.ordinal);
}

function viewOf({ metadata, status }: DeepReadonly<Pod>, sighting: Sighting | undefined): ServerView {
  const { answer, ...known } = sighting ?? unseen;
  return {
    pod: metadata.name,
    uid: metadata.uid,
    ordinal: podOrdinal(metadata.name),
    host: sighting === undefined ? undefined : status?.podIP,
    isReady: isConditionTrue(status?.conditions, "Ready"),
    isDeleting: metadata.deletionTimestamp !== undefined,
    revision: metadata.labels?.["controller-revision-hash"],
    role: metadata.labels?.[roleLabel],
    answer: answer === undefined ? undefined : { ...answer, record: readRecord(answer.users) },
    ...known,
  };
}

/** Of a server that nobody has asked. */
const unseen: Sighting = {
  answer: undefined,
  failure: undefined,
  silentMs: 0,
  missedAt: undefined,
  isReached: false,
  stalledMs: 0,
  wasBusy: false,
  forks: undefined,
};
