import { deepEqual, type DeepReadonly } from "@kedge/machinery";
import type { Toleration } from "@kedge/machinery/kinds/core/v1";
import { isRefusedBy } from "../view/taints.ts";
import { obstacle, type Filter } from "./types.ts";

const tainted = obstacle("TaintToleration", "node(s) had untolerated taint(s)", "lasting");
const noTolerations: readonly DeepReadonly<Toleration>[] = [];

/** Nodes with a taint against new pods that the pod does not tolerate. */
export const taintToleration: Filter = {
  name: "TaintToleration",
  prepare({ pod }) {
    const { tolerations = noTolerations } = pod.spec;
    return { check: (node) => (isRefusedBy(node, tolerations) ? tainted : undefined) };
  },
  events: ["node-added", "node-changed", "pod-changed"],
  mayHelp(event, { uid, pod }) {
    const { tolerations = noTolerations } = pod.spec;
    if (event.type === "node-added") return !isRefusedBy(event.node, tolerations);
    if (event.type === "node-changed") {
      return isRefusedBy(event.previous, tolerations) && !isRefusedBy(event.node, tolerations);
    }
    return (
      event.type === "pod-changed" &&
      event.pod.uid === uid &&
      !deepEqual(event.pod.pod.spec.tolerations, event.previous.pod.spec.tolerations)
    );
  },
};
