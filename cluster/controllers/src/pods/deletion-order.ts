import { parseTime, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { isActive, isReady, readySince } from "./pod-state.ts";

type AnyPod = DeepReadonly<Pod>;

/** What the order depends on besides the pods themselves. */
export interface DeletionView {
  /** All pods that do the same work, those of sibling replica sets too: where many are together, one is missed less. */
  readonly related: readonly AnyPod[];
  readonly now: number;
}

const phases = ["Pending", "Unknown", "Running"];

/** What comes first of all: whether it has a node, how far it has come, whether it serves. */
const progress: readonly Criterion[] = [
  (pod) => (nodeOf(pod) === "" ? 0 : 1),
  (pod) => phases.indexOf(pod.status?.phase ?? "Pending"),
  (pod) => (isReady(pod) ? 1 : 0),
];

type Criterion = (pod: AnyPod) => number;

/** Pods from the one that is missed least to the one that is missed most. */
export function leastMissedFirst(pods: readonly AnyPod[], view: DeletionView): readonly AnyPod[] {
  const crowds = Map.groupBy(view.related.filter(isActive), nodeOf);
  const criteria = [
    ...progress,
    (pod: AnyPod) => Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0),
    (pod: AnyPod) => -(crowds.get(nodeOf(pod))?.length ?? 0),
    (pod: AnyPod) => (isReady(pod) ? magnitude(readySince(pod), view.now) : 0),
    mostRestartsFirst,
    (pod: AnyPod) => -sidecarRestarts(pod),
    (pod: AnyPod) => magnitude(parseTime(pod.metadata.creationTimestamp), view.now),
  ];
  // By uid, which is chance: otherwise always the youngest would go, and some nodes would lose more than others.
  return pods.toSorted(
    (one, other) => compare(criteria, one, other) || (one.metadata.uid < other.metadata.uid ? -1 : 1),
  );
}

/** Pods from the one that has come least far, or is youngest, to the one that would be the greatest loss to its job. */
export function leastAdvancedFirst(pods: readonly AnyPod[]): readonly AnyPod[] {
  const criteria = [
    ...progress,
    (pod: AnyPod) => (isReady(pod) ? -(readySince(pod) ?? Number.MAX_SAFE_INTEGER) : 0),
    mostRestartsFirst,
    (pod: AnyPod) => -sidecarRestarts(pod),
    (pod: AnyPod) => -parseTime(pod.metadata.creationTimestamp),
  ];
  return pods.toSorted((one, other) => compare(criteria, one, other));
}

function compare(criteria: readonly Criterion[], one: AnyPod, other: AnyPod): number {
  for (const criterion of criteria) {
    const difference = criterion(one) - criterion(other);
    if (difference !== 0) return difference;
  }
  return 0;
}

function mostRestartsFirst({ status }: AnyPod): number {
  return -Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

function nodeOf({ spec }: AnyPod): string {
  return spec.nodeName ?? "";
}

/** How old, as a power of two: ages of the same magnitude are equal. What has no age goes first. */
function magnitude(since: number | undefined, now: number): number {
  return since === undefined || now <= since ? -1 : Math.trunc(Math.log2((now - since) * 1_000_000));
}

function sidecarRestarts({ spec, status }: AnyPod): number {
  const sidecars = new Set(
    (spec.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const statuses = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}
