import { Node } from "@kedge/machinery/kinds/core/v1";
import { decodedAs } from "../registry/decoded.ts";
import { isAbout } from "./request.ts";
import type { AdmissionPlugin } from "./types.ts";

const key = "node.kubernetes.io/not-ready";
const effect = "NoSchedule";

/** Keeps pods away from a new node until the node lifecycle controller has seen that it is ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  operations: ["CREATE"],
  admit: (request) => {
    const { object } = request;
    if (object === undefined || !isAbout(request, Node)) return;
    const spec = (decodedAs(Node, object).spec ??= {});
    const taints = spec.taints ?? [];
    if (taints.some((taint) => taint.key === key && taint.effect === effect)) return;
    spec.taints = [...taints, { key, effect }];
  },
};
