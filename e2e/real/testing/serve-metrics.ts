import type { Client } from "@kedge/client";
import { findCondition, formatTime, realClock, type JsonObject, type Kind } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { until } from "../wait.ts";

/** What is measured outside of the cluster, for `HorizontalPodAutoscalers`: one name is enough. */
export const externalMetric = "queued";

const resources = { group: "metrics.k8s.io", plural: "pods", kind: "PodMetrics" };
const external = { group: "external.metrics.k8s.io", plural: externalMetric, kind: "ExternalMetricValue" };

/**
 * Lets a real API server answer what autoscalers ask for: `metrics.k8s.io` and one external metric as custom kinds,
 * whose lists look as those of a metrics server do. What they say is what tests write.
 */
export async function serveMetrics(client: Client): Promise<void> {
  for (const definition of [resources, external]) {
    const { group, plural, kind } = definition;
    const name = `${plural}.${group}`;
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await client.of(CustomResourceDefinition).create({
      metadata: { name, annotations: { "api-approved.kubernetes.io": "unapproved, for tests" } },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural, kind },
        versions: [{ name: "v1beta1", served: true, storage: true, schema }],
      },
    });
    await until(`${name} are served`, async () => {
      const { status } = await client.of(CustomResourceDefinition).get({ name });
      return findCondition(status?.conditions, "Established")?.status === "True";
    });
  }
}

/** Says what each container of a pod uses: `{ cpu: "500m", memory: "1Gi" }`. */
export async function tellUsage(
  client: Client,
  { metadata, spec }: Pod,
  usage: Readonly<Record<string, string>>,
): Promise<void> {
  const { namespace, name, labels } = metadata;
  await write(client, resources, {
    metadata: { namespace, name, labels: labels ?? {} },
    timestamp: formatTime(realClock.now()),
    window: "30s",
    containers: spec.containers.map((container) => ({ name: container.name, usage })),
  });
}

/** Says how much of the external metric there is. */
export async function tellExternal(client: Client, namespace: string, value: string): Promise<void> {
  await write(client, external, {
    metadata: { namespace, name: "one" },
    metricName: externalMetric,
    metricLabels: {},
    timestamp: formatTime(realClock.now()),
    value,
  });
}

async function write(client: Client, definition: typeof resources, object: JsonObject): Promise<void> {
  const kind: Kind<JsonObject> = await client.discovery.kind({ ...definition, version: "v1beta1" });
  await client.of(kind).create(object);
}
