import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantityToNumber,
  subtractQuantities,
  type DeepReadonly,
} from "@kedge/machinery";
import type { Node, PersistentVolume, Pod } from "@kedge/machinery/kinds/core/v1";
import { matchesTerms, untolerated } from "./node-matches.ts";
import { parse, requestsOf, sum, type Amounts } from "./requests.ts";

/** What is looked at to place a pod. */
export interface PlacementView {
  readonly pod: DeepReadonly<Pod>;
  readonly nodes: readonly DeepReadonly<Node>[];
  /** The pods that are on each node, by its name. */
  readonly podsOn: (node: string) => readonly DeepReadonly<Pod>[];
  /** The volumes that the pod's claims are bound to. */
  readonly volumes: readonly DeepReadonly<PersistentVolume>[];
}

/** A node, or why there is none: one line per reason, as Kubernetes words it. */
export type Placement = { readonly node: string } | { readonly node: undefined; readonly message: string };

/** The node with the most left after the pod, of those that it may run on. */
export function chooseNode(view: PlacementView): Placement {
  const requests = requestsOf(view.pod);
  const reasons = new Map<string, number>();
  let best: { readonly name: string; readonly score: number } | undefined;
  for (const node of view.nodes.toSorted((one, other) =>
    one.metadata.name < other.metadata.name ? -1 : 1,
  )) {
    const free = freeOn(node, view.podsOn(node.metadata.name));
    const obstacles = obstaclesTo(view, node, { requests, free });
    for (const reason of obstacles) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (obstacles.length > 0) continue;
    const score = scoreOf(node, free, requests);
    if (best === undefined || score > best.score) best = { name: node.metadata.name, score };
  }
  if (best !== undefined) return { node: best.name };
  return { node: undefined, message: explain(view.nodes.length, reasons) };
}

function explain(nodes: number, reasons: ReadonlyMap<string, number>): string {
  if (nodes === 0) return "no nodes available to schedule pods";
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).toSorted();
  return `0/${nodes} nodes are available: ${parts.join(", ")}.`;
}

interface Room {
  readonly requests: Amounts;
  readonly free: Amounts;
}

function obstaclesTo(
  { pod, podsOn, volumes }: PlacementView,
  node: DeepReadonly<Node>,
  { requests, free }: Room,
): readonly string[] {
  const { spec } = pod;
  const tolerations = spec.tolerations ?? [];
  if (node.spec?.unschedulable === true && !toleratesUnschedulable(pod))
    return ["node(s) were unschedulable"];
  const taint = untolerated(node, tolerations);
  if (taint !== undefined) return [`node(s) had untolerated taint(s)`];
  const required =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const selected = Object.entries(spec.nodeSelector ?? {}).every(
    ([key, value]) => node.metadata.labels?.[key] === value,
  );
  if (!selected || (required !== undefined && !matchesTerms(node, required))) {
    return ["node(s) didn't match Pod's node affinity/selector"];
  }
  const reachable = volumes.every((volume) => {
    const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;
    return terms === undefined || matchesTerms(node, terms);
  });
  if (!reachable) return ["node(s) didn't match PersistentVolume's node affinity"];
  if (clashes(pod, podsOn(node.metadata.name)))
    return ["node(s) didn't have free ports for the requested pod ports"];
  const none = parseQuantity("0");
  const short = [...requests]
    .filter(
      ([name, amount]) =>
        compareQuantities(amount, none) > 0 && compareQuantities(amount, free.get(name) ?? none) > 0,
    )
    .map(([name]) => `Insufficient ${name}`);
  return compareQuantities(free.get("pods") ?? parseQuantity("1"), none) > 0
    ? short
    : ["Too many pods", ...short];
}

function toleratesUnschedulable({ spec }: DeepReadonly<Pod>): boolean {
  const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  return (spec.tolerations ?? []).some(
    ({ key = "", operator, effect = "" }) =>
      (key === "" ? operator === "Exists" : key === taint.key) && (effect === "" || effect === taint.effect),
  );
}

/** What is left of a node's resources; `pods` counts places. */
function freeOn(node: DeepReadonly<Node>, pods: readonly DeepReadonly<Pod>[]): Amounts {
  const used = new Map(sum(pods.map(requestsOf)));
  used.set("pods", addQuantities(used.get("pods") ?? parseQuantity("0"), parseQuantity(String(pods.length))));
  const all = parse(node.status?.allocatable ?? node.status?.capacity ?? {});
  return new Map(
    [...all].map(([name, amount]) => [
      name,
      subtractQuantities(amount, used.get(name) ?? parseQuantity("0")),
    ]),
  );
}

/** From 0 to 1: how much of cpu and memory would be left. */
function scoreOf(node: DeepReadonly<Node>, free: Amounts, requests: Amounts): number {
  const all = parse(node.status?.allocatable ?? node.status?.capacity ?? {});
  const shares = ["cpu", "memory"].map((name) => {
    const [total, left, asked] = [all, free, requests].map((amounts) => {
      const amount = amounts.get(name);
      return amount === undefined ? 0 : quantityToNumber(amount);
    });
    return total === undefined || total === 0 ? 0 : ((left ?? 0) - (asked ?? 0)) / total;
  });
  return shares.reduce((all_, share) => all_ + share, 0) / shares.length;
}

/** Ports of the machine itself can be had only once. */
function clashes(pod: DeepReadonly<Pod>, others: readonly DeepReadonly<Pod>[]): boolean {
  const wanted = new Set(hostPorts(pod));
  return wanted.size > 0 && others.flatMap(hostPorts).some((port) => wanted.has(port));
}

function hostPorts({ spec }: DeepReadonly<Pod>): readonly string[] {
  return spec.containers
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ hostPort }) => (hostPort ?? 0) > 0)
    .map(({ hostPort, protocol }) => `${protocol ?? "TCP"}/${hostPort}`);
}
