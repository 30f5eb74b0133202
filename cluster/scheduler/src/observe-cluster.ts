import { deepEqual, type DeepReadonly } from "@kedge/machinery";
import {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { Informers } from "@kedge/runtime";
import { bareNode, nodeChange } from "./cluster-event.ts";
import type { NominatedPods } from "./nominated-pods.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { hasEnded, type ClusterView } from "./view/cluster-view.ts";
import { podInfoOf, type PodInfo } from "./view/pod-info.ts";

type AnyPod = DeepReadonly<Pod>;

/** What the caches keep up to date. */
export interface Observed {
  readonly view: ClusterView;
  readonly queue: SchedulingQueue;
  readonly nominated: NominatedPods;
  /** Whether a pod is ours to place, by its `spec.schedulerName`. */
  readonly isOurs: (pod: AnyPod) => boolean;
}

/** Tells the view of all that changes, and the queue of what may help a pod that waits. */
export function observeCluster(informers: Informers, observed: Observed): void {
  const { view, queue } = observed;
  informers.of(Pod).onEvent((event) => {
    const previous = event.type === "updated" ? event.previous : undefined;
    const isReplaced = previous !== undefined && previous.metadata.uid !== event.object.metadata.uid;
    if (isReplaced) seePod(observed, undefined, previous);
    if (event.type === "deleted") seePod(observed, undefined, event.object);
    else seePod(observed, event.object, isReplaced ? undefined : previous);
  });
  informers.of(Node).onEvent((event) => {
    const { object: node } = event;
    if (event.type === "deleted") {
      queue.wake({ type: "node-removed", node: bareNode(node) });
      view.setNode(node.metadata.name, undefined);
      return;
    }
    view.setNode(node.metadata.name, node);
    const change = nodeChange(node, event.type === "updated" ? event.previous : undefined);
    if (change !== undefined) queue.wake(change);
  });
  informers.of(Namespace).onEvent((event) => {
    if (event.type === "updated" && deepEqual(event.object.metadata.labels, event.previous.metadata.labels))
      return;
    // Rules may mean pods by the labels of their namespaces.
    view.matching.clear();
  });
  // Nobody waits for a class, a volume or a claim to go.
  informers.of(StorageClass).onEvent((event) => {
    const storageClass = event.object;
    if (event.type === "added") queue.wake({ type: "class-added", storageClass });
    else if (event.type === "updated") {
      queue.wake({ type: "class-changed", storageClass, previous: event.previous });
    }
  });
  informers.of(PersistentVolume).onEvent((event) => {
    const volume = event.object;
    if (event.type === "added") queue.wake({ type: "volume-added", volume });
    else if (event.type === "updated") {
      queue.wake({ type: "volume-changed", volume, previous: event.previous });
    }
  });
  informers.of(PersistentVolumeClaim).onEvent(({ type, object: claim }) => {
    if (type !== "deleted") queue.wake({ type: type === "added" ? "claim-added" : "claim-changed", claim });
  });
}

function seePod(observed: Observed, pod: AnyPod | undefined, previous: AnyPod | undefined): void {
  const { view, queue, nominated } = observed;
  const uid = pod?.metadata.uid ?? previous?.metadata.uid ?? "";
  const before = view.placed(uid);
  const left = view.see(uid, pod);
  if (left !== undefined) queue.wake({ type: "pod-removed", pod: left });
  if (pod === undefined || hasEnded(pod) || pod.metadata.deletionTimestamp !== undefined) {
    queue.delete(uid);
    if ((pod?.spec.nodeName ?? "") === "") giveUpPromise(observed, uid, previous ?? pod);
  }
  if (pod === undefined || hasEnded(pod)) return;
  if ((pod.spec.nodeName ?? "") === "") {
    if (pod.metadata.deletionTimestamp === undefined) seeWaiting(observed, pod, previous);
    return;
  }
  queue.delete(uid);
  nominated.delete(uid);
  const now = view.placed(uid);
  if (now === undefined) return;
  if ((previous?.spec.nodeName ?? "") === "") queue.wake({ type: "pod-added", pod: now });
  else if (before !== undefined && isOther(now, before)) {
    queue.wake({ type: "pod-changed", pod: now, previous: before });
  }
}

function seeWaiting(
  { view, queue, nominated, isOurs }: Observed,
  pod: AnyPod,
  previous: AnyPod | undefined,
): void {
  if (!isOurs(pod)) return;
  const info = podInfoOf(pod);
  const promised = pod.status?.nominatedNodeName ?? "";
  const wasPromised = previous?.status?.nominatedNodeName ?? "";
  if (promised !== wasPromised) {
    if (promised !== "") nominated.set(info, promised);
    else if (nominated.nodeOf(info.uid) === wasPromised) nominated.delete(info.uid);
    if (wasPromised !== "") wakeBelow(queue, info);
  }
  if (!view.isAssumed(info.uid)) queue.put(info);
}

/** A pod that had a promise is gone: others may have the room. */
function giveUpPromise({ queue, nominated }: Observed, uid: string, pod: AnyPod | undefined): void {
  if (nominated.delete(uid) && pod !== undefined) wakeBelow(queue, podInfoOf(pod));
}

function wakeBelow(queue: SchedulingQueue, info: PodInfo): void {
  queue.wake({ type: "pod-removed", pod: info }, (queued) => queued.info.priority > info.priority);
}

/** Most changes are of the status. */
function isOther(now: PodInfo, before: PodInfo): boolean {
  return (
    now.requested !== before.requested ||
    (now.labels !== before.labels && !deepEqual(now.labels, before.labels))
  );
}
