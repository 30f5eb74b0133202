import type { ApiObject } from "../registry/types.ts";
import type { BuiltinOptions } from "./builtin-resources.ts";
import { systemClasses } from "./priority-class/priority-class.ts";
import { defaultServiceCidr } from "./service-cidr/service-cidr.ts";
import { parseAddressRange } from "./service/address-range.ts";

/** What a cluster has from the start, in the order of creation. The server makes those that are missing. */
export function bootstrapObjects({
  serviceRange,
  serverPort,
}: Pick<BuiltinOptions, "serviceRange"> & {
  /** Where the API server listens: what port 443 of the service `kubernetes` leads to. */
  readonly serverPort: number;
}): readonly ApiObject[] {
  return [
    ...["kube-system", "kube-public", "kube-node-lease", "default"].map((name) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name },
    })),
    ...Array.from(systemClasses, ([name, value]) => ({
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value,
      description: descriptions[name],
    })),
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "ServiceCIDR",
      metadata: { name: defaultServiceCidr },
      spec: { cidrs: [serviceRange] },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: "kubernetes",
        namespace: "default",
        labels: { component: "apiserver", provider: "kubernetes" },
      },
      spec: {
        clusterIP: parseAddressRange(serviceRange).first,
        ipFamilyPolicy: "SingleStack",
        ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: serverPort }],
        sessionAffinity: "None",
        type: "ClusterIP",
      },
    },
  ];
}

const descriptions: Readonly<Record<string, string>> = {
  "system-node-critical": "Used for system critical pods that must not be moved from their current node.",
  "system-cluster-critical":
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
};
