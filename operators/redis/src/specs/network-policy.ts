import type { ApplyObject } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";
import type { NetworkPolicy, NetworkPolicyPeer } from "@kedge/machinery/kinds/networking/v1";
import { labelsOf, namesOf, operatorPodLabels, redisPort } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";

/** Lets in the instance's own pods, the operator wherever it runs as a pod, and the clients that the spec declares. */
export function networkPolicyOf(
  { namespace, name }: InstanceKey,
  clients: readonly DeepReadonly<NetworkPolicyPeer>[],
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
            ...clients,
          ],
        },
      ],
    },
  };
}
