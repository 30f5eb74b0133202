import type { Registry, Resource } from "../registry/types.ts";
import { prefixFor } from "../storage/keys.ts";
import type { Storage } from "../storage/storage.ts";
import type { MetricFamily } from "./exposition.ts";

/** How many objects of each kind are stored. */
export function objectMetrics(registry: Registry, storage: Storage): readonly MetricFamily[] {
  // Versions of a kind share their storage.
  const stored = new Map<string, Resource>();
  for (const resource of registry.all())
    if (resource.computed === undefined && resource.review === undefined)
      stored.set(resource.storage, resource);
  const counts = [...stored.values()].map((resource) => ({
    group: resource.group,
    plural: resource.plural,
    count: storage.cache(resource.storage).list(prefixFor(resource)).count,
  }));
  return [
    {
      name: "apiserver_resource_objects",
      help: "Stored objects of each kind.",
      type: "gauge",
      samples: counts.map(({ group, plural, count }) => ({
        labels: { group, resource: plural },
        value: count,
      })),
    },
    {
      name: "apiserver_storage_objects",
      help: "The same under the name that it had before Kubernetes 1.34.",
      type: "gauge",
      samples: counts.map(({ group, plural, count }) => ({
        labels: { resource: group === "" ? plural : `${plural}.${group}` },
        value: count,
      })),
    },
  ];
}
