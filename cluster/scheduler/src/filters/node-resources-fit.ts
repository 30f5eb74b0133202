import type { Profile } from "../profile.ts";
import type { NodeInfo } from "../view/node-info.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { amountIn, emptyResources, type Resources } from "../view/resources.ts";
import type { Filter, Obstacle } from "./types.ts";

const plugin = "NodeResourcesFit";

/** Nodes whose pods leave too little of what the pod asks for, or that have as many pods as they may. */
export const nodeResourcesFit: Filter = {
  name: plugin,
  prepare({ info, profile }) {
    const wanted = wantedOf(info, profile);
    return {
      check: (node) =>
        fits(wanted, node) ? undefined : obstacleOf(wanted, node, node.requested, node.pods.size),
    };
  },
  events: ["pod-removed", "pod-changed", "node-added", "node-changed"],
  mayHelp(event, waiting, { profile }) {
    const wanted = wantedOf(waiting, profile);
    switch (event.type) {
      case "pod-removed":
        return true;
      case "pod-changed":
        return isLess(event.pod.requested, event.previous.requested, waiting, event.pod.uid);
      case "node-added":
        return couldFit(wanted, event.node);
      case "node-changed":
        return couldFit(wanted, event.node) && hasMore(wanted, event.node, event.previous);
      default:
        return false;
    }
  },
};

/** What a pod asks for and its profile does not leave to others. */
function wantedOf(
  { requested }: PodInfo,
  { ignoredResources = [], ignoredResourceGroups = [] }: Profile,
): Resources {
  if (ignoredResources.length + ignoredResourceGroups.length === 0) return requested;
  const others = new Map(
    [...requested.others].filter(
      ([name]) =>
        !ignoredResources.includes(name) && !ignoredResourceGroups.includes(name.split("/")[0] ?? ""),
    ),
  );
  return { ...requested, others };
}

/** The common answer, without a list of reasons. */
function fits(wanted: Resources, node: NodeInfo): boolean {
  const { allocatable, requested } = node;
  if (node.pods.size >= node.mostPods) return false;
  if (wanted.cpu > 0 && wanted.cpu > allocatable.cpu - requested.cpu) return false;
  if (wanted.memory > 0 && wanted.memory > allocatable.memory - requested.memory) return false;
  if (wanted.storage > 0 && wanted.storage > allocatable.storage - requested.storage) return false;
  for (const [name, amount] of wanted.others) {
    const left = (allocatable.others.get(name) ?? 0) - (requested.others.get(name) ?? 0);
    if (amount > left) return false;
  }
  return true;
}

function couldFit(wanted: Resources, node: NodeInfo): boolean {
  return obstacleOf(wanted, node, emptyResources(), 0).reasons.length === 0;
}

function obstacleOf(wanted: Resources, node: NodeInfo, taken: Resources, pods: number): Obstacle {
  const reasons: string[] = [];
  let isLasting = false;
  if (pods + 1 > node.mostPods) reasons.push("Too many pods");
  for (const name of namesIn(wanted)) {
    const amount = amountIn(wanted, name);
    const all = amountIn(node.allocatable, name);
    if (amount <= 0 || amount <= all - amountIn(taken, name)) continue;
    reasons.push(`Insufficient ${name}`);
    // More than the whole node has is more than others could leave.
    if (amount > all) isLasting = true;
  }
  return { plugin, reasons, isLasting };
}

function namesIn({ others }: Resources): readonly string[] {
  return others.size === 0 ? usual : [...usual, ...others.keys()];
}

const usual = ["cpu", "memory", "ephemeral-storage"];

/** Whether a pod has given up some of what another waits for. */
function isLess(now: Resources, before: Resources, waiting: PodInfo, uid: string): boolean {
  const isSame = uid === waiting.uid;
  return namesIn(isSame ? before : waiting.requested).some(
    (name) =>
      (isSame || amountIn(waiting.requested, name) > 0) && amountIn(now, name) < amountIn(before, name),
  );
}

function hasMore(wanted: Resources, node: NodeInfo, previous: NodeInfo): boolean {
  if (node.mostPods > previous.mostPods) return true;
  return namesIn(wanted).some(
    (name) =>
      amountIn(wanted, name) > 0 && amountIn(node.allocatable, name) > amountIn(previous.allocatable, name),
  );
}
