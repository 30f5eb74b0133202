import { clone, messageOf, quantityOf, quantityToString, type DeepReadonly } from "@kedge/machinery";
import type {
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
  ObjectMetricSource,
  PodsMetricSource,
} from "@kedge/machinery/kinds/autoscaling/v2";
import { selectorText } from "../../selector-text.ts";
import { milliValue, sumOf, type Measurement, type PodAmounts } from "./amounts.ts";
import type { PodView } from "./group-pods.ts";
import { replicasByAverage, replicasByUtilization, type PodsTarget } from "./replicas-by-pods.ts";
import { replicasByShare, replicasByValue } from "./replicas-by-value.ts";
import type { Tolerances } from "./tolerances.ts";

/** What one metric recommends. */
export interface Proposal {
  readonly replicas: number;
  /** How events call the metric. */
  readonly metric: string;
  readonly status: MetricStatus;
}

/** Why a metric recommends nothing. */
export interface NoProposal {
  readonly reason: string;
  readonly message: string;
  /** The same as it is told of all metrics together. */
  readonly failure: string;
}

/** What a proposal depends on, beside the metric. */
export interface ProposalView extends PodView {
  readonly namespace: string;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
}

type Metric = DeepReadonly<MetricSpec>;

/** How many replicas a metric recommends, in the words of Kubernetes. */
export function propose(metric: Metric, measured: Measurement, view: ProposalView): Proposal | NoProposal {
  const { resource, containerResource, pods, object, external } = metric;
  if (metric.type === "Resource" && resource !== undefined) {
    return attempt(
      { reason: "FailedGetResourceMetric", about: `failed to get ${resource.name} resource metric value` },
      () => {
        const found = byResource(resource, measured, view);
        return {
          ...found,
          status: { type: "Resource", resource: { name: resource.name, current: found.current } },
        };
      },
    );
  }
  if (metric.type === "ContainerResource" && containerResource !== undefined) {
    const { name, container } = containerResource;
    return attempt(
      {
        reason: "FailedGetContainerResourceMetric",
        about: `failed to get ${container} container metric value`,
      },
      () => {
        const found = byResource(containerResource, measured, view);
        const status = { name, container, current: found.current };
        return { ...found, status: { type: "ContainerResource", containerResource: status } };
      },
    );
  }
  if (metric.type === "Pods" && pods !== undefined) {
    return attempt({ reason: "FailedGetPodsMetric", about: "failed to get pods metric value" }, () =>
      byPods(pods, measured, view),
    );
  }
  if (metric.type === "Object" && object !== undefined) {
    const isAverage = object.target.type === "AverageValue";
    const more = isAverage ? `: failed to get ${object.metric.name} object metric` : "";
    return attempt(
      { reason: "FailedGetObjectMetric", about: `failed to get object metric value${more}` },
      () => byObject(object, measured, view),
    );
  }
  if (metric.type === "External" && external !== undefined) {
    const { name } = external.metric;
    const more =
      external.target.averageValue === undefined
        ? `failed to get external metric ${name}`
        : `failed to get ${name} external metric`;
    return attempt(
      { reason: "FailedGetExternalMetric", about: `failed to get ${name} external metric value: ${more}` },
      () => byExternal(external, measured, view),
    );
  }
  const message = `unknown metric source type ${JSON.stringify(metric.type)}`;
  return { reason: "InvalidMetricSourceType", message, failure: message };
}

/** Whether a metric recommends a number. */
export function isProposal(found: Proposal | NoProposal): found is Proposal {
  return "replicas" in found;
}

function attempt(
  { reason, about }: { readonly reason: string; readonly about: string },
  find: () => Proposal,
): Proposal | NoProposal {
  try {
    const { replicas, metric, status } = find();
    return { replicas, metric, status };
  } catch (error) {
    const message = messageOf(error);
    return { reason, message, failure: `${about}: ${message}` };
  }
}

interface ResourceSource {
  readonly name: string;
  readonly target: DeepReadonly<MetricTarget>;
  readonly container?: string;
}

function byResource(
  { name, target, container }: ResourceSource,
  measured: Measurement,
  view: ProposalView,
): Omit<Proposal, "status"> & { readonly current: MetricValueStatus } {
  const { averageValue, averageUtilization } = target;
  if (averageValue === undefined && averageUtilization === undefined)
    throw new Error(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  const what = averageValue === undefined ? "utilization" : "usage";
  return within(`failed to get ${name} ${what}`, () => {
    const amounts = amountsOf(measured, `unable to get metrics for resource ${name}`);
    const podsToMeet = podsTarget(view, amounts, name);
    if (averageValue !== undefined) {
      const { replicas, average } = replicasByAverage(podsToMeet, milliValue(averageValue));
      return { replicas, metric: `${name} resource`, current: { averageValue: amountText(average, name) } };
    }
    const found = replicasByUtilization(podsToMeet, averageUtilization ?? 0, container);
    return {
      replicas: found.replicas,
      metric: `${name} ${container === undefined ? "" : "container "}resource utilization (percentage of request)`,
      current: { averageUtilization: found.utilization, averageValue: amountText(found.average, name) },
    };
  });
}

function byPods(
  { metric, target }: DeepReadonly<PodsMetricSource>,
  measured: Measurement,
  view: ProposalView,
): Proposal {
  const amounts = amountsOf(measured, `unable to get metric ${metric.name}`);
  const wanted = milliValue(target.averageValue ?? "0");
  const { replicas, average } = replicasByAverage(podsTarget(view, amounts, ""), wanted);
  const current = { averageValue: amountText(average) };
  return {
    replicas,
    metric: `pods metric ${metric.name}`,
    status: { type: "Pods", pods: { metric: identifier(metric), current } },
  };
}

function byObject(
  { metric, describedObject, target }: DeepReadonly<ObjectMetricSource>,
  measured: Measurement,
  view: ProposalView,
): Proposal {
  const { type, value: wanted, averageValue } = target;
  const { specReplicas, statusReplicas, tolerances } = view;
  // Kubernetes has the words in this order.
  const about = `unable to get metric ${metric.name}: ${describedObject.kind} on ${view.namespace} ${describedObject.name}/`;
  const status = (current: MetricValueStatus): MetricStatus => ({
    type: "Object",
    object: { metric: identifier(metric), describedObject: { ...describedObject }, current },
  });
  if (type === "Value" && wanted !== undefined) {
    const value = valueOf(measured, about);
    const of = { value, target: milliValue(wanted), replicas: specReplicas, tolerances };
    return {
      replicas: replicasByValue(of, view.pods),
      metric: `${describedObject.kind} metric ${metric.name}`,
      status: status({ value: amountText(value) }),
    };
  }
  if (type === "AverageValue" && averageValue !== undefined) {
    const value = valueOf(measured, about);
    const of = { value, target: milliValue(averageValue), replicas: statusReplicas, tolerances };
    const { replicas, share } = replicasByShare(of);
    return {
      replicas,
      metric: `external metric ${metric.name}(${selectorText(metric.selector)})`,
      status: status({ averageValue: amountText(share) }),
    };
  }
  throw new Error("invalid object metric source: neither a value target nor an average value target was set");
}

function byExternal(
  { metric, target }: DeepReadonly<ExternalMetricSource>,
  measured: Measurement,
  view: ProposalView,
): Proposal {
  const { averageValue, value: wanted } = target;
  const { specReplicas, statusReplicas, tolerances } = view;
  const selector = selectorText(metric.selector);
  const value = valueOf(
    measured,
    `unable to get external metric ${view.namespace}/${metric.name}/${selector}: `,
  );
  const proposal = (replicas: number, current: MetricValueStatus): Proposal => ({
    replicas,
    metric: `external metric ${metric.name}(${selector})`,
    status: { type: "External", external: { metric: identifier(metric), current } },
  });
  if (averageValue !== undefined) {
    const of = { value, target: milliValue(averageValue), replicas: statusReplicas, tolerances };
    const { replicas, share } = replicasByShare(of);
    return proposal(replicas, { averageValue: amountText(share) });
  }
  const of = { value, target: milliValue(wanted ?? "0"), replicas: specReplicas, tolerances };
  return proposal(replicasByValue(of, view.pods), { value: amountText(value) });
}

function podsTarget(view: ProposalView, amounts: PodAmounts, resource: string): PodsTarget {
  return { ...view, amounts, resource, replicas: view.specReplicas };
}

function amountsOf(measured: Measurement, about: string): PodAmounts {
  if ("pods" in measured) return measured.pods;
  throw new Error(`${about}: ${"failure" in measured ? measured.failure : "no values of pods"}`);
}

function valueOf(measured: Measurement, about: string): bigint {
  if ("values" in measured) return sumOf(measured.values);
  throw new Error(`${about}${"failure" in measured ? measured.failure : "no values"}`);
}

function within<T>(about: string, find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw new Error(`${about}: ${messageOf(error)}`, { cause: error });
  }
}

function identifier({ name, selector }: DeepReadonly<MetricIdentifier>): MetricIdentifier {
  return selector === undefined ? { name } : { name, selector: clone(selector) };
}

function amountText(thousandths: bigint, resource = ""): string {
  const format = resource === "memory" ? "BinarySI" : "DecimalSI";
  return quantityToString(quantityOf(thousandths, { scale: -3, format }));
}
