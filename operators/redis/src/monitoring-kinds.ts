import type { Kind, NamespacedMeta } from "@kedge/machinery";

/** What the Prometheus operator scrapes; not every cluster has the kind. */
export interface ServiceMonitor {
  apiVersion: string;
  kind: string;
  metadata: NamespacedMeta;
  spec: {
    selector: { matchLabels: Record<string, string> };
    endpoints: { port: string; interval?: string; relabelings?: Relabeling[] }[];
  };
}

/** Makes a label of others. */
export interface Relabeling {
  sourceLabels: string[];
  targetLabel: string;
  replacement: string;
}

export const ServiceMonitor: Kind<ServiceMonitor, "Namespaced", never> = {
  group: "monitoring.coreos.com",
  version: "v1",
  kind: "ServiceMonitor",
  plural: "servicemonitors",
  singular: "servicemonitor",
  scope: "Namespaced",
  subresources: [],
};

/** What it alerts about; not every cluster has the kind. */
export interface PrometheusRule {
  apiVersion: string;
  kind: string;
  metadata: NamespacedMeta;
  spec: { groups: { name: string; rules: AlertRule[] }[] };
}

/** An alert. */
export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export const PrometheusRule: Kind<PrometheusRule, "Namespaced", never> = {
  group: "monitoring.coreos.com",
  version: "v1",
  kind: "PrometheusRule",
  plural: "prometheusrules",
  singular: "prometheusrule",
  scope: "Namespaced",
  subresources: [],
};
