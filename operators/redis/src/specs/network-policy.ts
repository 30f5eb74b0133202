import type { ApplyObject } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";
import type { NetworkPolicy, NetworkPolicyPeer } from "@kedge/machinery/kinds/networking/v1";
import { exporterLabelsOf, labelsOf, namesOf, operatorPodLabels, redisPort } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";

/** What a policy depends on. */
export interface NetworkPolicyOptions {
  readonly clients: readonly DeepReadonly<NetworkPolicyPeer>[];
  readonly hasMetrics: boolean;
}

/** Lets in the instance's own pods and exporters, the operator wherever it runs as a pod, and the clients that the spec declares. */
export function networkPolicyOf(
  { namespace, name }: InstanceKey,
  { clients, hasMetrics }: NetworkPolicyOptions,
): DeepReadonly<ApplyObject<NetworkPolicy>> {
  return {
    metadata: { namespace, name: namesOf(name).statefulSet, labels: labelsOf(name) },
    spec: {
      podSelector: { matchLabels: labelsOf(name) },
      policyTypes: ["Ingress"],
      ingress: [
        {
          ports: [{ port: redisPort, protocol: "TCP" }],
          from: [
            { podSelector: { matchLabels: labelsOf(name) } },
            { namespaceSelector: {}, podSelector: { matchLabels: operatorPodLabels } },
            ...(hasMetrics ? [{ podSelector: { matchLabels: exporterLabelsOf(name) } }] : []),
            ...clients,
          ],
        },
      ],
    },
  };
}
