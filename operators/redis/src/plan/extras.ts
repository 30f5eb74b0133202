import { ConfigMap, Service } from "@kedge/machinery/kinds/core/v1";
import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { applyChild, deleteChild, type ApplyChild, type ChildAction, type Refusal } from "@kedge/runtime";
import { canonicalResources } from "@kedge/schema";
import type { ExtraChild } from "../extras.ts";
import type { InstanceSpec } from "../kind.ts";
import { PrometheusRule, ServiceMonitor } from "../monitoring-kinds.ts";
import type { Observed } from "../observe.ts";
import { acceptedLabels } from "../rules/pod-rules.ts";
import { disruptionBudgetOf } from "../specs/disruption-budget.ts";
import type { ExporterOptions } from "../specs/exporter.ts";
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

/** The exporter that each pod is to have. */
export function exporterOf({ metrics }: InstanceSpec): ExporterOptions | undefined {
  if (metrics?.enabled !== true) return undefined;
  const { image, resources } = metrics;
  return { image, resources: resources === undefined ? undefined : canonicalResources(resources) };
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
  { replicas }: { readonly replicas: number },
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
  ];
  const wanted = all.filter(({ kind }) => !observed.extras.unserved.includes(kind.kind));
  const isWanted = (child: ExtraChild): boolean =>
    wanted.some(
      ({ kind, object }) => kind.kind === child.kind.kind && object.metadata.name === child.metadata.name,
    );
  const over = observed.extras.children.filter((child) => !isWanted(child));
  return [...wanted, ...over.map(({ kind, metadata: child }) => deleteChild(kind, child))];
}
