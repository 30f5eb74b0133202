import type { Client } from "@kedge/client";
import {
  messageOf,
  selectorFromLabelSelector,
  selectorToString,
  type DeepReadonly,
  type LabelSelector,
} from "@kedge/machinery";
import type { MetricIdentifier, MetricSpec } from "@kedge/machinery/kinds/autoscaling/v2";
import type { Measurement } from "../plan/amounts.ts";
import {
  readExternalMetric,
  readObjectMetric,
  readPodsMetric,
  readResource,
  type MetricQuery,
} from "./metric-apis.ts";

/** Whose metrics are asked for. */
export interface Measured {
  readonly namespace: string;
  /** The selector of the target's pods. */
  readonly selector: string;
}

/** Asks the servers of metrics what they know of these. A failure is an answer. */
export async function measure(
  client: Client,
  pods: Measured,
  metrics: readonly DeepReadonly<MetricSpec>[],
): Promise<readonly Measurement[]> {
  return await Promise.all(
    metrics.map(async (metric) => {
      try {
        return await measureOne(client, pods, metric);
      } catch (error) {
        return { failure: messageOf(error) };
      }
    }),
  );
}

async function measureOne(
  client: Client,
  pods: Measured,
  { type, resource, containerResource, pods: ofPods, object, external }: DeepReadonly<MetricSpec>,
): Promise<Measurement> {
  const { namespace, selector } = pods;
  if (type === "Resource" && resource !== undefined)
    return { pods: await readResource(client, pods, { name: resource.name }) };
  if (type === "ContainerResource" && containerResource !== undefined)
    return { pods: await readResource(client, pods, containerResource) };
  if (type === "Pods" && ofPods !== undefined)
    return { pods: await readPodsMetric(client, selector, queryOf(namespace, ofPods.metric)) };
  if (type === "Object" && object !== undefined) {
    const query = queryOf(namespace, object.metric);
    return { values: await readObjectMetric(client, object.describedObject, query) };
  }
  if (type === "External" && external !== undefined)
    return { values: await readExternalMetric(client, queryOf(namespace, external.metric)) };
  return { failure: "unknown metric source type" };
}

function queryOf(namespace: string, { name, selector }: DeepReadonly<MetricIdentifier>): MetricQuery {
  return { namespace, name, selector: textOf(selector) };
}

function textOf(selector: DeepReadonly<LabelSelector> | undefined): string {
  return selector === undefined ? "" : selectorToString(selectorFromLabelSelector(selector));
}
