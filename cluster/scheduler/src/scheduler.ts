import { apiVersionOf, formatTime, isNotFound, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import {
  defineController,
  watches,
  type Controller,
  type ControllerHost,
  type ReconcileContext,
} from "@kedge/runtime";
import { chooseNode } from "./choose-node.ts";
import { explainBefore } from "./explain.ts";
import type { PlacementView } from "./placement.ts";
import { planClaims } from "./plan-claims.ts";

/** Pods say by this name who places them. */
const schedulerName = "default-scheduler";
const selectedNode = "volume.kubernetes.io/selected-node";

type Context = ReconcileContext<Pod>;

/**
 * Places pods, one at a time, so that each sees what the one before it took. Nodes, claims and pods that change are
 * reasons to look at those that wait.
 */
export function schedulerController(): Controller {
  // Bound pods whose node the cache does not show yet: their room is taken.
  const assumed = new Map<string, string>();
  return defineController({
    name: schedulerName,
    reporter: schedulerName,
    for: Pod,
    workers: 1,
    when: (pod) => waits(pod),
    watches: [
      watches(Node, (_node, _previous, host) => waitingPods(host)),
      watches(PersistentVolume, ({ spec }, _previous, host) => waitingPods(host, spec?.claimRef?.namespace)),
      watches(StorageClass, (_class, _previous, host) => waitingPods(host)),
      watches(PersistentVolumeClaim, ({ metadata }, _previous, host) =>
        waitingPods(host, metadata.namespace),
      ),
      watches(Pod, (pod, _previous, host) => (leavesRoom(pod, host) ? waitingPods(host) : [])),
    ],
    reconcile: (context) => reconcile(context, assumed),
  });
}

function waits(pod: DeepReadonly<Pod>): boolean {
  return (
    (pod.spec.nodeName ?? "") === "" &&
    (pod.spec.schedulerName ?? schedulerName) === schedulerName &&
    pod.metadata.deletionTimestamp === undefined &&
    (pod.spec.schedulingGates ?? []).length === 0 &&
    !ended(pod)
  );
}

function ended({ status, metadata }: DeepReadonly<Pod>): boolean {
  return (
    status?.phase === "Succeeded" || status?.phase === "Failed" || metadata.deletionTimestamp !== undefined
  );
}

/** A pod that ended, is about to go or has gone without notice. */
function leavesRoom(pod: DeepReadonly<Pod>, { informers }: ControllerHost): boolean {
  if ((pod.spec.nodeName ?? "") === "") return false;
  return ended(pod) || informers.of(Pod).get(pod.metadata) === undefined;
}

function waitingPods(host: ControllerHost, namespace?: string): readonly ObjectKey[] {
  return host.informers
    .of(Pod)
    .list({ namespace })
    .filter(waits)
    .map(({ metadata }) => metadata);
}

async function reconcile(context: Context, assumed: Map<string, string>): Promise<undefined> {
  const { object: pod } = context;
  if (pod === undefined || !waits(pod) || assumed.has(pod.metadata.uid)) return undefined;
  const { namespace } = pod.metadata;
  const claims = planClaims(pod, {
    claim: (name) => context.read(PersistentVolumeClaim).get({ namespace, name }),
    volume: (name) => context.read(PersistentVolume).get({ name }),
    storageClass: (name) => context.read(StorageClass).get({ name }),
  });
  if (claims.type === "wait") {
    return refuse(context, pod, explainBefore(context.read(Node).list().length, claims.reason));
  }
  const placement = chooseNode({ ...viewFor(context, assumed), pod, volumes: claims.volumes });
  if (placement.node === undefined) return refuse(context, pod, placement.message);
  // The claim's volume is made where the pod will be; the pod follows when it is there.
  for (const claim of claims.toPlace) await placeClaim(context, claim, placement.node);
  if (claims.toPlace.length > 0) return undefined;
  assumed.set(pod.metadata.uid, placement.node);
  try {
    await bind(context, pod, placement.node);
  } catch (error) {
    assumed.delete(pod.metadata.uid);
    // It went. A conflict is looked at again: someone else placed it, or it changed.
    if (!isNotFound(error)) throw error;
  }
  return undefined;
}

function viewFor(context: Context, assumed: Map<string, string>): Pick<PlacementView, "nodes" | "podsOn"> {
  const pods = context.read(Pod).list();
  const known = new Map(pods.map(({ metadata, spec }) => [metadata.uid as string, spec.nodeName]));
  // What the cache shows, or what is gone, needs no assumption.
  for (const uid of assumed.keys()) {
    if (!known.has(uid) || known.get(uid) !== undefined) assumed.delete(uid);
  }
  const running = pods.filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed");
  const placed = Map.groupBy(
    running,
    ({ metadata, spec }) => spec.nodeName ?? assumed.get(metadata.uid) ?? "",
  );
  return { nodes: context.read(Node).list(), podsOn: (node) => placed.get(node) ?? [] };
}

async function placeClaim(
  context: Context,
  claim: DeepReadonly<PersistentVolumeClaim>,
  node: string,
): Promise<void> {
  if (claim.metadata.annotations?.[selectedNode] === node) return;
  await context.client.of(PersistentVolumeClaim).patch(claim.metadata, {
    merge: { metadata: { uid: claim.metadata.uid, annotations: { [selectedNode]: node } } },
  });
}

async function bind(context: Context, pod: DeepReadonly<Pod>, node: string): Promise<void> {
  await context.client.of(Pod).binding.create(pod.metadata, node);
  const { namespace, name } = pod.metadata;
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  context.events.record(
    { ...pod, apiVersion: apiVersionOf(Pod), kind: Pod.kind },
    { reason: "Scheduled", message, action: "Binding" },
  );
}

/** Says in the pod's status and in an event why it has no place. */
async function refuse(context: Context, pod: DeepReadonly<Pod>, message: string): Promise<undefined> {
  const subject = { ...pod, apiVersion: apiVersionOf(Pod), kind: Pod.kind };
  const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (before?.status === "False" && before.message === message) return undefined;
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
  return undefined;
}
