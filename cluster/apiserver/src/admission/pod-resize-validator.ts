import {
  compareQuantities,
  parseQuantity,
  podTotal,
  quantityMilliValue,
  quantityValue,
  StatusError,
} from "@kedge/machinery";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { decodedAs } from "../registry/decoded.ts";
import { lookUp } from "../registry/lookup.ts";
import { refusal } from "./request.ts";
import type { AdmissionPlugin } from "./types.ts";

/** Refuses a resize that its node could never do. */
export const podResizeValidator: AdmissionPlugin = {
  name: "PodResizeValidator",
  operations: ["UPDATE"],
  validate: (request, { objects }) => {
    const { resource, subresource, object, oldObject } = request;
    if (resource.plural !== Pod.plural || resource.group !== "" || subresource !== "resize") return;
    if (object === undefined || oldObject === undefined) return;
    const { spec = {}, metadata } = decodedAs(Pod, object);
    const { nodeName: name = "" } = spec;
    if (name === "" || metadata?.generation === oldObject.metadata.generation) return;
    const node = lookUp(objects, Node, { name });
    if (node === undefined) throw refusal(request, `node "${name}" not found`);
    const system = node.metadata?.labels?.["kubernetes.io/os"] ?? "linux";
    if (system !== "linux") {
      const why = `pod resize is only supported on linux nodes, node "${name}" is "${system}"`;
      throw caused(refusal(request, why), "UnsupportedPlatform");
    }
    const missing = (["cpu", "memory"] as const).flatMap((part) => {
      const requested = podTotal(spec, ({ resources }) => resources?.requests?.[part]);
      const allocatable = parseQuantity(node.status?.allocatable?.[part] ?? "0");
      if (requested === undefined || compareQuantities(requested, allocatable) <= 0) return [];
      const value = part === "cpu" ? quantityMilliValue : quantityValue;
      return [`${part}, requested: ${value(requested)}, allocatable: ${value(allocatable)}`];
    });
    if (missing.length === 0) return;
    const why = `node didn't have enough allocatable resources: ${missing.join("; ")}`;
    throw caused(refusal(request, why), "NodeCapacity");
  },
};

function caused(error: StatusError, reason: string): StatusError {
  const { status } = error;
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}
