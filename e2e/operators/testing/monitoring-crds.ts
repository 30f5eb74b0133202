import type { Draft } from "@kedge/machinery";
import type { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";

/** The kinds of the Prometheus operator that ours makes objects of, with schemas that take anything. */
export const monitoringCrds: readonly Draft<CustomResourceDefinition>[] = [
  "ServiceMonitor",
  "PrometheusRule",
].map((kind) => ({
  metadata: { name: `${kind.toLowerCase()}s.monitoring.coreos.com` },
  spec: {
    group: "monitoring.coreos.com",
    names: { kind, plural: `${kind.toLowerCase()}s`, singular: kind.toLowerCase() },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
}));
