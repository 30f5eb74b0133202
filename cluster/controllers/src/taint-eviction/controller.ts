import {
  deepEqual,
  isConflict,
  isNotFound,
  keyToString,
  parseTime,
  type DeepReadonly,
  type Uid,
} from "@kedge/machinery";
import { Node, Pod, type Taint } from "@kedge/machinery/kinds/core/v1";
import { defineController, watches, type Controller, type ReconcileContext } from "@kedge/runtime";
import { disruptionTarget } from "../pods/disruption-target.ts";
import { evictingTaints, toleratedMs } from "./plan.ts";

type Context = ReconcileContext<Pod>;

/** Deletes pods whose node has a taint with NoExecute that they do not tolerate, or tolerate no longer. */
export function taintEvictionController(): Controller {
  /** When a pod met the taints of its node, by its key: a taint need not say when it came. */
  const met = new Map<string, Meeting>();
  return defineController({
    name: "taint-eviction-controller",
    reporter: "taint-eviction-controller",
    for: Pod,
    when: (pod, previous) =>
      pod.spec?.nodeName !== previous?.spec?.nodeName ||
      !deepEqual(pod.spec?.tolerations, previous?.spec?.tolerations),
    watches: [
      watches(Node, (node, previous, host) =>
        deepEqual(evictingTaints(node), evictingTaints(previous))
          ? []
          : host.informers
              .of(Pod)
              .list()
              .filter(({ spec }) => spec?.nodeName === node.metadata.name)
              .map(({ metadata }) => ({ namespace: metadata.namespace, name: metadata.name })),
      ),
    ],
    reconcile: (context) => reconcile(context, met),
  });
}

interface Meeting {
  readonly uid: Uid;
  readonly since: number;
}

async function reconcile(
  context: Context,
  met: Map<string, Meeting>,
): Promise<{ readonly requeueAfter: number } | undefined> {
  const { object: pod, clock } = context;
  const key = keyToString(context.key);
  const forget = (): void => {
    if (met.delete(key)) tellCancelled(context);
  };
  if (pod === undefined) {
    forget();
    return undefined;
  }
  const { uid, deletionTimestamp } = pod.metadata;
  const nodeName = pod.spec?.nodeName ?? "";
  const taints =
    nodeName === "" || deletionTimestamp !== undefined
      ? []
      : evictingTaints(context.read(Node).get({ name: nodeName }));
  const stay = taints.length === 0 ? undefined : toleratedMs(pod, taints);
  if (deletionTimestamp !== undefined) met.delete(key);
  // Also when it must not even wait any more.
  if (stay === undefined || stay === 0) forget();
  if (stay === undefined) return undefined;
  const before = met.get(key);
  const since = before?.uid === uid ? before.since : latestOf(taints, clock.now());
  met.set(key, { uid, since });
  const left = since + stay - clock.now();
  if (left > 0) return { requeueAfter: left };
  met.delete(key);
  await evict(context, pod);
  return undefined;
}

function tellCancelled({ events, key }: Context): void {
  const { namespace, name } = key;
  const message = `Cancelling deletion of Pod ${keyToString(key)}`;
  const subject = { apiVersion: "v1", kind: Pod.kind, metadata: { namespace, name } };
  events.record(subject, { reason: "TaintManagerEviction", message });
}

/** When the last of them was added. */
function latestOf(taints: readonly DeepReadonly<Taint>[], now: number): number {
  return taints.reduce(
    (latest, { timeAdded }) => Math.max(latest, timeAdded === undefined ? now : parseTime(timeAdded)),
    0,
  );
}

async function evict({ client, events, clock }: Context, pod: DeepReadonly<Pod>): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  const subject = { ...pod, apiVersion: "v1", kind: Pod.kind };
  const message = `Marking for deletion Pod ${namespace}/${name}`;
  events.record(subject, { reason: "TaintManagerEviction", message });
  const why = {
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
  };
  const condition = disruptionTarget(pod, why, clock.now());
  const pods = client.of(Pod);
  try {
    await pods.status.patch(
      { namespace, name },
      { strategic: { metadata: { uid }, status: { conditions: [condition] } } },
    );
    await pods.delete({ namespace, name }, { preconditions: { uid } });
  } catch (error) {
    // It is gone, or another one has its name.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
