import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Service } from "@kedge/machinery/kinds/core/v1";
import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { applyChild, deleteChild, type ApplyChild, type ChildAction, type Refusal } from "@kedge/runtime";
import { canonicalResources } from "@kedge/schema";
import type { ExtraChild } from "../extras.ts";
import { PrometheusRule, ServiceMonitor } from "../monitoring-kinds.ts";
import { namesOf } from "../names.ts";
import type { Observed } from "../observe.ts";
import { acceptedLabels } from "../rules/pod-rules.ts";
import { disruptionBudgetOf } from "../specs/disruption-budget.ts";
import { exportersOf } from "../specs/exporter.ts";
import { dashboardMapOf, metricsServiceOf, prometheusRuleOf, serviceMonitorOf } from "../specs/monitoring.ts";
import { networkPolicyOf } from "../specs/network-policy.ts";

/** What the spec asks for and this cluster has no kind for. */
export function extraRefusals({ instance, extras }: Observed): readonly Refusal[] {
  const { networkPolicy } = instance.spec;
  if (networkPolicy?.enabled !== true || !extras.unserved.includes(NetworkPolicy.kind)) return [];
  return [
    {
      field: "spec.networkPolicy.enabled",
      message: "asks for a NetworkPolicy, a kind that this cluster does not serve: set it to false",
    },
  ];
}

/** The exporters. While there is no password for them they are left as they are. */
function exporters({ instance, credentials }: Observed, servers: number): readonly ApplyChild[] {
  const { metadata, spec } = instance;
  const { exporterPassword: password } = credentials;
  if (spec.metrics?.enabled !== true || password === undefined) return [];
  const { image, resources } = spec.metrics;
  const { nodeSelector, tolerations } = spec.placement ?? {};
  const options = {
    image,
    resources: resources === undefined ? undefined : canonicalResources(resources),
    servers,
    password,
    nodeSelector,
    tolerations,
  };
  return [applyChild(StatefulSet, exportersOf(metadata, options))];
}

/** What Prometheus and Grafana find. Kinds that this cluster does not have are not missed: they come when it has. */
function monitoring({ instance }: Observed, replicas: number): readonly ApplyChild[] {
  const { metadata, spec } = instance;
  if (spec.metrics?.enabled !== true) return [];
  const options = { labels: acceptedLabels(spec.metrics.labels), replicas };
  return [
    applyChild(Service, metricsServiceOf(metadata)),
    applyChild(ConfigMap, dashboardMapOf(metadata, options)),
    applyChild(ServiceMonitor, serviceMonitorOf(metadata, options)),
    applyChild(PrometheusRule, prometheusRuleOf(metadata, options)),
  ];
}

/** Makes the extra children that are wanted, and deletes those that are not wanted any more. */
export function planExtras(
  observed: Observed,
  { replicas, pods }: { readonly replicas: number; readonly pods: number },
): readonly ChildAction[] {
  const { metadata, spec } = observed.instance;
  const { networkPolicy } = spec;
  const all: readonly ApplyChild[] = [
    ...(replicas > 1 ? [applyChild(PodDisruptionBudget, disruptionBudgetOf(metadata))] : []),
    ...(networkPolicy?.enabled === true
      ? [
          applyChild(
            NetworkPolicy,
            networkPolicyOf(metadata, {
              clients: networkPolicy.clients ?? [],
              hasMetrics: spec.metrics?.enabled === true,
            }),
          ),
        ]
      : []),
    ...monitoring(observed, replicas),
    ...exporters(observed, pods),
  ];
  const wanted = all.filter(({ kind }) => !observed.extras.unserved.includes(kind.kind));
  const isWanted = (child: ExtraChild): boolean =>
    wanted.some(
      ({ kind, object }) => kind.kind === child.kind.kind && object.metadata.name === child.metadata.name,
    );
  const isKept = ({ kind }: ExtraChild): boolean =>
    kind.kind === StatefulSet.kind && spec.metrics?.enabled === true;
  const over = observed.extras.children
    .filter((child) => isMadeHere(metadata.name, child))
    .filter((child) => !isWanted(child) && !isKept(child));
  return [...wanted, ...over.map(({ kind, metadata: child }) => deleteChild(kind, child))];
}

/** What an instance controls and this plan never makes has another purpose, whatever its labels say. */
function isMadeHere(instance: string, { kind, metadata }: ExtraChild): boolean {
  const { statefulSet, metrics, dashboard } = namesOf(instance);
  const names = new Map([
    [PodDisruptionBudget.kind, statefulSet],
    [NetworkPolicy.kind, statefulSet],
    [StatefulSet.kind, metrics],
    [Service.kind, metrics],
    [ServiceMonitor.kind, metrics],
    [PrometheusRule.kind, metrics],
    [ConfigMap.kind, dashboard],
  ]);
  return names.get(kind.kind) === metadata.name;
}
