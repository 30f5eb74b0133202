import { tolerates } from "@kedge/machinery";
import type { PodInfo } from "../view/pod-info.ts";
import { obstacle, type Filter } from "./types.ts";

const cordoned = obstacle("NodeUnschedulable", "node(s) were unschedulable", "lasting");

/** Nodes that were cordoned, unless the pod tolerates the taint that says so. */
export const nodeUnschedulable: Filter = {
  name: "NodeUnschedulable",
  prepare: ({ info }) =>
    toleratesCordon(info) ? undefined : { check: ({ isCordoned }) => (isCordoned ? cordoned : undefined) },
  events: ["node-added", "node-changed", "pod-changed"],
  mayHelp(event, waiting) {
    if (event.type === "node-added") return !event.node.isCordoned;
    if (event.type === "node-changed") return event.changed.has("cordon");
    return event.type === "pod-changed" && event.pod.uid === waiting.uid && toleratesCordon(event.pod);
  },
};

function toleratesCordon({ pod }: PodInfo): boolean {
  const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  return (pod.spec.tolerations ?? []).some((toleration) => tolerates(toleration, taint));
}
