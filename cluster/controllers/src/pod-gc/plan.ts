import { findCondition, parseTime, type DeepReadonly } from "@kedge/machinery";
import type { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { hasEnded, isTerminating } from "../pods/pod-state.ts";

type AnyPod = DeepReadonly<Pod>;

/** How pods are collected. Times are milliseconds. */
export interface PodGcOptions {
  /** How many pods that have ended are kept, of all namespaces together. 0: all. */
  readonly terminatedThreshold: number;
  /** How often. */
  readonly period: number;
  /** How long a node may be missing from the cache until the server is asked whether it is gone. */
  readonly quarantine: number;
}

/** Those of kube-controller-manager 1.36. */
export const defaultPodGc: PodGcOptions = {
  terminatedThreshold: 12_500,
  period: 20_000,
  quarantine: 40_000,
};

/** What there is. */
export interface PodGcFacts {
  readonly pods: readonly AnyPod[];
  readonly nodes: ReadonlyMap<string, DeepReadonly<Node>>;
  /** Nodes that the server says are gone. */
  readonly goneNodes: ReadonlySet<string>;
}

/** Why a pod is removed by force. */
export type GcReason = "terminated" | "out-of-service" | "orphaned" | "terminating-unscheduled";

/** A pod to remove. */
export interface Collection {
  readonly pod: AnyPod;
  readonly reason: GcReason;
}

/** Which pods are removed though nobody stops them: no node will do it. Each pod once. */
export function planPodGc(
  { pods, nodes, goneNodes }: PodGcFacts,
  { terminatedThreshold }: Pick<PodGcOptions, "terminatedThreshold">,
): readonly Collection[] {
  const nodeOf = ({ spec }: AnyPod): DeepReadonly<Node> | undefined =>
    spec.nodeName === undefined ? undefined : nodes.get(spec.nodeName);
  const excess = new Set(excessOf(pods.filter(hasEnded), terminatedThreshold));
  const reasonFor = (pod: AnyPod): GcReason | undefined => {
    if (excess.has(pod)) return "terminated";
    if (isTerminating(pod) && isOutOfService(nodeOf(pod))) return "out-of-service";
    if (pod.spec.nodeName !== undefined && goneNodes.has(pod.spec.nodeName)) return "orphaned";
    return isTerminating(pod) && pod.spec.nodeName === undefined ? "terminating-unscheduled" : undefined;
  };
  return pods.flatMap((pod) => {
    const reason = reasonFor(pod);
    return reason === undefined ? [] : [{ pod, reason }];
  });
}

/** The nodes that pods are on and that the cache does not know. */
export function missingNodes({ pods, nodes }: Pick<PodGcFacts, "pods" | "nodes">): ReadonlySet<string> {
  return new Set(
    pods.flatMap(({ spec: { nodeName } }) =>
      nodeName === undefined || nodes.has(nodeName) ? [] : [nodeName],
    ),
  );
}

/** Those above the threshold: evicted ones first, then the oldest. */
function excessOf(ended: readonly AnyPod[], threshold: number): readonly AnyPod[] {
  if (threshold <= 0 || ended.length <= threshold) return [];
  return ended.toSorted(inOrderOfDeletion).slice(0, ended.length - threshold);
}

function inOrderOfDeletion(one: AnyPod, other: AnyPod): number {
  const byEviction = Number(isEvicted(other)) - Number(isEvicted(one));
  const byAge = createdAt(one) - createdAt(other);
  return byEviction || byAge || (one.metadata.name < other.metadata.name ? -1 : 1);
}

function isEvicted({ status }: AnyPod): boolean {
  return status?.phase === "Failed" && status.reason === "Evicted";
}

function createdAt({ metadata }: AnyPod): number {
  return parseTime(metadata.creationTimestamp);
}

/** A person has said that it is down for good: its pods cannot run any more, and their volumes may go elsewhere. */
function isOutOfService(node: DeepReadonly<Node> | undefined): boolean {
  if (node === undefined || findCondition(node.status?.conditions, "Ready")?.status === "True") return false;
  return (node.spec.taints ?? []).some(({ key }) => key === "node.kubernetes.io/out-of-service");
}
