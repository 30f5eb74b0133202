import * as z from "zod";
import { coreType } from "@kedge/schema";

/** `spec.placement` */
export const placement = z.object({
  nodeSelector: z.record(z.string(), z.string()).optional().describe("Only nodes with these labels."),
  tolerations: z.array(coreType("Toleration")).optional().describe("Which taints of nodes do not matter."),
  affinity: coreType("Affinity").optional().describe("Which nodes, near to or far from which pods."),
  topologySpreadConstraints: z
    .array(coreType("TopologySpreadConstraint"))
    .optional()
    .describe("How pods are spread. Default: over nodes."),
});

/** `spec.podMetadata` */
export const podMetadata = z.object({
  labels: z.record(z.string(), z.string()).optional().describe("More labels of the pods."),
  annotations: z.record(z.string(), z.string()).optional().describe("More annotations of the pods."),
});

/** `spec.networkPolicy` */
export const networkPolicy = z.object({
  enabled: z.boolean().describe("Let in only the instance's own pods, the operator and the clients."),
  clients: z
    .array(coreType("NetworkPolicyPeer"))
    .optional()
    .describe("Who else may connect, as in the field from of a NetworkPolicy."),
});
