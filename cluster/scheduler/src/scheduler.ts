import {
  deepEqual,
  formatTime,
  isNotFound,
  selectedNodeAnnotation,
  StatusError,
  withTypeMeta,
  type DeepReadonly,
} from "@kedge/machinery";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import {
  defineController,
  watches,
  type Controller,
  type ControllerHost,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { chooseNode } from "./choose-node.ts";
import { explainBefore } from "./explain.ts";
import { PlacedPods } from "./placed-pods.ts";
import { planClaims } from "./plan-claims.ts";
import { schedulerName, waits } from "./waits.ts";
import { WaitingPods } from "./waiting-pods.ts";

/** How many bindings are under way at a time. */
const bindings = 32;

/** When to look again at a pod that may have been refused only for a binding that then failed. */
const doubtMs = 1000;

type Context = ReconcileContext<Pod>;

/**
 * Places pods. A node is chosen, and its room taken, in one go, so that each pod sees what the one before it took; the
 * bindings are then sent side by side. Nodes, claims and pods that change are reasons to look at those that wait.
 */
export function schedulerController(): Controller {
  const made = new WeakMap<ControllerHost, Controller>();
  const controllerOf = (host: ControllerHost): Controller => {
    const controller = made.get(host) ?? schedulerOn(host);
    made.set(host, controller);
    return controller;
  };
  return {
    name: schedulerName,
    prepare: (host) => controllerOf(host).prepare(host),
    run: (host, signal) => controllerOf(host).run(host, signal),
  };
}

interface Scheduling {
  readonly placed: PlacedPods;
  readonly waiting: WaitingPods;
}

function schedulerOn({ informers }: ControllerHost): Controller {
  const placed = new PlacedPods();
  const waiting = new WaitingPods();
  const pods = informers.of(Pod);
  /** True when room was left. */
  const seePod = (current: DeepReadonly<Pod> | undefined, uid: string): boolean => {
    const pod = current?.metadata.uid === uid ? current : undefined;
    if (pod === undefined || !waits(pod)) waiting.remove(uid);
    return placed.see(uid, pod);
  };
  return defineController({
    name: schedulerName,
    reporter: schedulerName,
    for: Pod,
    workers: bindings,
    when: isNews,
    watches: [
      watches(Pod, (pod) => (seePod(pods.get(pod.metadata), pod.metadata.uid) ? waiting.takeAll() : [])),
      watches(Node, () => waiting.takeAll()),
      watches(StorageClass, () => waiting.takeAll()),
      watches(PersistentVolume, ({ spec }) => waiting.takeAll(spec?.claimRef?.namespace)),
      watches(PersistentVolumeClaim, ({ metadata }) => waiting.takeAll(metadata.namespace)),
    ],
    reconcile: (context) => reconcile(context, { placed, waiting }),
  });
}

/** A status that was reported, by us too, is no reason to try again. */
function isNews(pod: DeepReadonly<Pod>, previous: DeepReadonly<Pod> | undefined): boolean {
  if (!waits(pod)) return false;
  return (
    previous === undefined ||
    !waits(previous) ||
    !deepEqual(pod.metadata.labels, previous.metadata.labels) ||
    !deepEqual(pod.spec, previous.spec)
  );
}

async function reconcile(context: Context, scheduling: Scheduling): Promise<ReconcileResult | undefined> {
  const { object: pod } = context;
  if (pod === undefined) return undefined;
  const { placed } = scheduling;
  if (placed.isDoubtful(pod.metadata.uid)) await ask(context, pod, placed);
  if (!waits(pod) || placed.isAssumed(pod.metadata.uid)) return undefined;
  return await place(context, pod, scheduling);
}

/** Asks the server whether a pod was bound. When it does not answer either, the room stays taken. */
async function ask(context: Context, pod: DeepReadonly<Pod>, placed: PlacedPods): Promise<void> {
  const { uid } = pod.metadata;
  const found = await context.client
    .of(Pod)
    .get(pod.metadata)
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  // The cache may have shown it meanwhile.
  if (!placed.isDoubtful(uid)) return;
  const node = found?.metadata.uid === uid ? (found.spec.nodeName ?? "") : "";
  if (found === undefined || node === "") placed.forget(uid);
  else placed.assume(found, node);
}

/** All up to the first `await` happens in one go. */
async function place(
  context: Context,
  pod: DeepReadonly<Pod>,
  { placed, waiting }: Scheduling,
): Promise<ReconcileResult | undefined> {
  const { namespace, uid } = pod.metadata;
  const claims = planClaims(pod, {
    claim: (name) => context.read(PersistentVolumeClaim).get({ namespace, name }),
    volume: (name) => context.read(PersistentVolume).get({ name }),
    storageClass: (name) => context.read(StorageClass).get({ name }),
  });
  const nodes = context.read(Node).list();
  if (claims.type === "wait") {
    waiting.add(pod);
    await refuse(context, pod, explainBefore(nodes.length, claims.reason));
    return undefined;
  }
  const choice = chooseNode({ pod, nodes, placed, volumes: claims.volumes });
  if (choice.node === undefined) {
    waiting.add(pod);
    const isDoubtful = placed.hasAssumed;
    await refuse(context, pod, choice.message);
    return isDoubtful ? { requeueAfter: doubtMs } : undefined;
  }
  // The claim's volume is made where the pod will be; the pod follows when it is there.
  if (claims.toPlace.length > 0) {
    waiting.add(pod);
    for (const claim of claims.toPlace) await placeClaim(context, claim, choice.node);
    return undefined;
  }
  placed.assume(pod, choice.node);
  try {
    await bind(context, pod, choice.node);
  } catch (error) {
    // With another answer than a refusal, or none, it may be bound.
    if (error instanceof StatusError && error.code < 500) placed.forget(uid);
    else placed.doubt(uid);
    // It went. A conflict is looked at again: someone else placed it, or it changed.
    if (!isNotFound(error)) throw error;
  }
  return undefined;
}

async function placeClaim(
  context: Context,
  claim: DeepReadonly<PersistentVolumeClaim>,
  node: string,
): Promise<void> {
  if (claim.metadata.annotations?.[selectedNodeAnnotation] === node) return;
  await context.client.of(PersistentVolumeClaim).patch(claim.metadata, {
    merge: { metadata: { uid: claim.metadata.uid, annotations: { [selectedNodeAnnotation]: node } } },
  });
}

async function bind(context: Context, pod: DeepReadonly<Pod>, node: string): Promise<void> {
  await context.client.of(Pod).binding.create(pod.metadata, node);
  const { namespace, name } = pod.metadata;
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  context.events.record(withTypeMeta(Pod, pod), { reason: "Scheduled", message, action: "Binding" });
}

/** Says in the pod's status and in an event why it has no place. */
async function refuse(context: Context, pod: DeepReadonly<Pod>, message: string): Promise<void> {
  const subject = withTypeMeta(Pod, pod);
  const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (before?.status === "False" && before.message === message) return;
  context.events.record(subject, {
    type: "Warning",
    reason: "FailedScheduling",
    message,
    action: "Scheduling",
  });
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    observedGeneration: pod.metadata.generation,
    lastTransitionTime:
      before?.status === "False" ? before.lastTransitionTime : formatTime(context.clock.now()),
  };
  await context.client.of(Pod).status.patch(pod.metadata, {
    strategic: { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } },
  });
}
