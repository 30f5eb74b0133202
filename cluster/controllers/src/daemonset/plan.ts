import type { DeepReadonly } from "@kedge/machinery";
import type { DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import type { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import type { EventNote } from "@kedge/runtime";
import { hasEnded, isAvailable, isReady, isTerminating } from "../pods/pod-state.ts";
import { generationLabel, hashLabel, templateGenerationOf } from "./new-pod.ts";
import { fitOf, oldestFirst, targetOf } from "./nodes.ts";
import { limitsOf } from "./limits.ts";

type AnyPod = DeepReadonly<Pod>;

/** What a daemon set is planned from. */
export interface DaemonSetView {
  readonly set: DeepReadonly<DaemonSet>;
  readonly nodes: readonly DeepReadonly<Node>[];
  readonly pods: readonly AnyPod[];
  /** Of the spec's template. */
  readonly hash: string;
  /** Milliseconds until a failed pod of a node may be replaced. */
  readonly pauseOn: (node: string) => number;
  readonly now: number;
}

/** What is done for a daemon set. */
export interface DaemonSetPlan {
  /** Names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly delete: readonly AnyPod[];
  /** Nodes on which a failed pod is replaced now: the next failure waits longer. */
  readonly replaced: readonly string[];
  readonly events: readonly EventNote[];
  readonly lookAgainAfter?: number;
}

/** Every node that fits has one pod: what is missing is made, what is too much goes. */
export function planDaemonSet(view: DaemonSetView): DaemonSetPlan {
  const { nodes, pods } = view;
  const byNode = podsByNode(pods);
  const plans = nodes.map((node) => planNode(view, node, byNode.get(node.metadata.name)));
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  // Nobody else deletes pods that wait for a node that is gone.
  const lost = [...byNode]
    .filter(([name]) => !names.has(name))
    .flatMap(([, some]) => some.filter(({ spec }) => (spec.nodeName ?? "") === ""));
  const waits = plans.flatMap(({ lookAgainAfter }) => lookAgainAfter ?? []);
  return {
    create: plans.flatMap(({ create }) => create),
    delete: [...plans.flatMap((plan) => plan.delete), ...lost],
    replaced: plans.flatMap(({ replaced }) => replaced),
    events: plans.flatMap(({ events }) => events),
    ...(waits.length === 0 ? {} : { lookAgainAfter: Math.min(...waits) }),
  };
}

/** The pods of each node, those that wait for it too. What has ended and goes is nobody's concern any more. */
export function podsByNode(pods: readonly AnyPod[]): ReadonlyMap<string, readonly AnyPod[]> {
  const left = pods.filter((pod) => !(hasEnded(pod) && isTerminating(pod)) && targetOf(pod) !== undefined);
  return Map.groupBy(left, (pod) => targetOf(pod) ?? "");
}

/** Whether a pod is of the spec's template. */
export function isUpdated({ set, hash }: Pick<DaemonSetView, "set" | "hash">, { metadata }: AnyPod): boolean {
  const generation = templateGenerationOf(set);
  return (
    metadata.labels?.[hashLabel] === hash ||
    (generation !== undefined && metadata.labels?.[generationLabel] === generation)
  );
}

const nothing: DaemonSetPlan = { create: [], delete: [], replaced: [], events: [] };

function planNode(
  view: DaemonSetView,
  node: DeepReadonly<Node>,
  pods: readonly AnyPod[] | undefined,
): DaemonSetPlan {
  const { name } = node.metadata;
  const { shouldRun, mayStay } = fitOf(view.set, node);
  if (pods === undefined) return shouldRun ? { ...nothing, create: [name] } : nothing;
  const staying = pods.filter((pod) => !isTerminating(pod));
  if (!mayStay) return { ...nothing, delete: staying };
  const ended = planEnded(view, name, staying.filter(hasEnded));
  const running = oldestFirst(staying.filter((pod) => !hasEnded(pod)));
  if (!limitsOf(view.set, 1).isSurging) return { ...ended, delete: [...ended.delete, ...running.slice(1)] };
  if (running.length === 0 && shouldRun) return { ...ended, create: [name] };
  return { ...ended, delete: [...ended.delete, ...surplus(view, running)] };
}

/** Pods of daemon sets run without end: those that have ended are replaced, after a pause where they fail. */
function planEnded({ pauseOn }: DaemonSetView, node: string, pods: readonly AnyPod[]): DaemonSetPlan {
  const failed = pods.filter(({ status }) => status?.phase === "Failed");
  const pause = failed.length === 0 ? 0 : pauseOn(node);
  // One failure begins a pause, so of several only the first is replaced at once.
  const going = pods.filter((pod) => pod.status?.phase === "Succeeded" || (pause === 0 && pod === failed[0]));
  return {
    ...nothing,
    delete: going,
    replaced: pause === 0 && failed.length > 0 ? [node] : [],
    events: going.map(({ metadata, status }) => {
      const what = `daemon pod ${metadata.namespace}/${metadata.name} on node ${node}`;
      return status?.phase === "Failed"
        ? { type: "Warning", reason: "FailedDaemonPod", message: `Found failed ${what}, will try to kill it` }
        : { reason: "SucceededDaemonPod", message: `Found succeeded ${what}, will try to delete it` };
    }),
    ...(pause > 0 ? { lookAgainAfter: pause } : {}),
  };
}

/** Where a new pod may run beside the old one: the old one stays until the new one can take over. */
function surplus(view: DaemonSetView, running: readonly AnyPod[]): readonly AnyPod[] {
  if (running.length <= 1) return [];
  const isNew = ({ metadata }: AnyPod): boolean => metadata.labels?.[hashLabel] === view.hash;
  const [newest, old] = [running.find(isNew), running.find((pod) => !isNew(pod))];
  const others = running.filter((pod) => pod !== newest && pod !== old);
  if (newest === undefined || old === undefined) return others;
  const mayGo = !isReady(old) || isAvailable(newest, view.set.spec.minReadySeconds ?? 0, view.now);
  return mayGo ? [...others, old] : others;
}
