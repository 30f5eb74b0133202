import type { ApplyObject } from "@kedge/client";
import type { ConfigMap, Service } from "@kedge/machinery/kinds/core/v1";
import type { AlertRule, PrometheusRule, Relabeling, ServiceMonitor } from "../monitoring-kinds.ts";
import { exporterLabelsOf, exporterPort, labelsOf, namesOf, partLabel } from "../names.ts";
import { dashboardOf } from "./dashboard.ts";
import type { InstanceKey } from "./instance-key.ts";

/** What is made for Prometheus and Grafana. */
export interface MonitoringOptions {
  /** By which others select it. */
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: number;
}

/** What all of it carries, so that it is found again when it is not wanted any more. */
const part = { [partLabel]: "metrics" } as const;

/** The Service by which exporters are found. */
export function metricsServiceOf({ namespace, name }: InstanceKey): ApplyObject<Service> {
  return {
    metadata: { namespace, name: namesOf(name).metrics, labels: { ...labelsOf(name), ...part } },
    spec: {
      clusterIP: "None",
      selector: exporterLabelsOf(name),
      ports: [{ name: "metrics", port: exporterPort, targetPort: "metrics", protocol: "TCP" }],
    },
  };
}

/** Has the Prometheus operator scrape the exporters. */
export function serviceMonitorOf(
  { namespace, name }: InstanceKey,
  { labels }: Pick<MonitoringOptions, "labels">,
): ApplyObject<ServiceMonitor> {
  return {
    metadata: { namespace, name: namesOf(name).metrics, labels: { ...labels, ...labelsOf(name), ...part } },
    spec: {
      selector: { matchLabels: { ...labelsOf(name), ...part } },
      endpoints: [{ port: "metrics", interval: "30s", relabelings: [podOfServer(name)] }],
    },
  };
}

/** A metric is of the server's pod, whichever pod has told it. */
function podOfServer(name: string): Relabeling {
  return {
    sourceLabels: ["__meta_kubernetes_pod_label_apps_kubernetes_io_pod_index"],
    targetLabel: "pod",
    replacement: `${name}-$1`,
  };
}

/** Grafana's own operator and its sidecar find dashboards by this label. */
const dashboardLabel = { grafana_dashboard: "1" } as const;

/** The dashboard, for Grafana to find. */
export function dashboardMapOf(
  { namespace, name }: InstanceKey,
  { labels }: Pick<MonitoringOptions, "labels">,
): ApplyObject<ConfigMap> {
  return {
    metadata: {
      namespace,
      name: namesOf(name).dashboard,
      labels: { ...dashboardLabel, ...labels, ...labelsOf(name), ...part },
    },
    data: { [`redis-${namespace}-${name}.json`]: JSON.stringify(dashboardOf({ namespace, name }), null, 1) },
  };
}

/** What somebody should know of, as rules for Prometheus. */
export function prometheusRuleOf(key: InstanceKey, options: MonitoringOptions): ApplyObject<PrometheusRule> {
  const { namespace, name } = key;
  return {
    metadata: {
      namespace,
      name: namesOf(name).metrics,
      labels: { ...options.labels, ...labelsOf(name), ...part },
    },
    spec: { groups: [{ name: `redis ${namespace}/${name}`, rules: [...alertsOf(key, options)] }] },
  };
}

/** Only this instance's pods. */
export function seriesOf({ namespace, name }: InstanceKey, more = ""): string {
  return `{namespace="${namespace}",pod=~"${name}-[0-9]+"${more}}`;
}

function alertsOf(key: InstanceKey, { replicas }: MonitoringOptions): readonly AlertRule[] {
  const of = seriesOf(key);
  const what = `RedisInstance ${key.namespace}/${key.name}`;
  const rule = (
    alert: string,
    { expr, wait, severity, says }: Readonly<Record<"expr" | "wait" | "severity" | "says", string>>,
  ): AlertRule => ({
    alert,
    expr,
    for: wait,
    labels: { severity, redis_instance: key.name },
    annotations: {
      summary: `${what}: ${says}`,
      description: `kedge redis status -n ${key.namespace} ${key.name} says more.`,
    },
  });
  return [
    rule("RedisDown", {
      expr: `redis_up${of} == 0`,
      wait: "1m",
      severity: "critical",
      says: "the server of {{ $labels.pod }} does not answer",
    }),
    rule("RedisNoPrimary", {
      expr: `count(redis_instance_info${seriesOf(key, ',role="master"')}) < 1 or absent(redis_instance_info${seriesOf(key, ',role="master"')})`,
      wait: "1m",
      severity: "critical",
      says: "no server takes writes",
    }),
    ...(replicas > 1
      ? [
          rule("RedisReplicaLinkDown", {
            expr: `redis_master_link_up${of} == 0`,
            wait: "2m",
            severity: "warning",
            says: "{{ $labels.pod }} has lost its primary",
          }),
        ]
      : []),
    rule("RedisMemoryNearLimit", {
      expr: `redis_memory_used_bytes${of} / (redis_memory_max_bytes${of} > 0) > 0.9`,
      wait: "5m",
      severity: "warning",
      says: "{{ $labels.pod }} uses more than nine tenths of maxmemory",
    }),
    rule("RedisRejectsConnections", {
      expr: `increase(redis_rejected_connections_total${of}[5m]) > 0`,
      wait: "1m",
      severity: "warning",
      says: "{{ $labels.pod }} has no room for more clients",
    }),
    rule("RedisPersistenceFails", {
      expr: `redis_rdb_last_bgsave_status${of} == 0 or redis_aof_last_write_status${of} == 0`,
      wait: "1m",
      severity: "critical",
      says: "{{ $labels.pod }} cannot write its data to its volume",
    }),
  ];
}
