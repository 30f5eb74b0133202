import { deducedSchema } from "@kedge/machinery";
import { createRegistry } from "../../registry/registry.ts";
import type { Registry, Resource, Subresource } from "../../registry/types.ts";
import { allVerbs } from "../../registry/verbs.ts";

/** A resource with nothing behind it: enough to be told of. */
export function testResource(
  facts: Pick<Resource, "group" | "version" | "kind" | "plural"> & Partial<Resource>,
): Resource {
  return {
    listKind: `${facts.kind}List`,
    singular: facts.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: "Namespaced",
    verbs: allVerbs,
    storage: facts.plural,
    schema: deducedSchema,
    strategy: {},
    table: { columns: [], cells: () => [] },
    subresources: new Map(),
    ...facts,
  };
}

/** Makes a resource a custom one, and changes nothing. */
export const lenientDecoder: NonNullable<Resource["custom"]> = {
  prune: () => [],
  default: () => undefined,
  read: () => undefined,
};

const part: Subresource = {
  type: "part",
  verbs: ["get", "patch", "update"],
  prepareForUpdate: () => undefined,
};

const scale: Subresource = {
  type: "scale",
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  selector: () => undefined,
};

/** Resources of every form that discovery distinguishes. */
const testResources: readonly Resource[] = [
  testResource({
    group: "example.com",
    version: "v1beta1",
    kind: "Thing",
    plural: "things",
    scope: "Cluster",
    custom: lenientDecoder,
    openapi: {
      type: "object",
      description: "A thing.",
      properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
    },
    subresources: new Map<string, Subresource>([
      ["scale", scale],
      ["status", part],
    ]),
  }),
  testResource({
    group: "",
    version: "v1",
    kind: "Pod",
    plural: "pods",
    shortNames: ["po"],
    categories: ["all"],
    subresources: new Map<string, Subresource>([
      ["status", part],
      [
        "eviction",
        {
          type: "action",
          body: { group: "policy", version: "v1", kind: "Eviction" },
          run: () => Promise.reject(new Error("not to be run")),
        },
      ],
      [
        "binding",
        {
          type: "action",
          body: { group: "", version: "v1", kind: "Binding" },
          run: () => Promise.reject(new Error("not to be run")),
        },
      ],
      ["log", { type: "connect", verbs: ["get"], optionsKind: "Pod" }],
      ["exec", { type: "connect", verbs: ["get", "create"], optionsKind: "PodExecOptions" }],
    ]),
  }),
  testResource({ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", shortNames: ["cm"] }),
  testResource({
    group: "apps",
    version: "v1",
    kind: "Deployment",
    plural: "deployments",
    subresources: new Map<string, Subresource>([
      ["status", part],
      ["scale", scale],
    ]),
  }),
  testResource({
    group: "autoscaling",
    version: "v1",
    kind: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
  }),
  testResource({
    group: "autoscaling",
    version: "v2",
    kind: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
  }),
];

/** A registry of them. */
export function testRegistry(): Registry {
  return createRegistry(testResources);
}
