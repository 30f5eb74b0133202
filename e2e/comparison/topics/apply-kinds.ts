import { structuralSchema, type TypeSchema } from "@kedge/machinery";
import { fieldElement, setOf, type FieldManagerOptions } from "@kedge/machinery/apply";
import { builtinTable, tableSchemas, zeroObject } from "@kedge/machinery/schema-table";
import { comparisonGroup } from "../custom-kind.ts";
import { isObject, objectAt, type JsonObject } from "../json.ts";
import { asBuiltin, asCustom } from "../typed.ts";

/** A kind that is applied to. */
export interface ApplyKind {
  readonly path: string;
  readonly options: FieldManagerOptions;
  /** The endpoint of its status; undefined when it is not written to. */
  readonly status?: FieldManagerOptions;
  /** The object after it was read into its type. */
  readonly typed: (object: JsonObject) => JsonObject;
  /** Whether a new object gets more than `defaulted` says. */
  readonly hasOtherDefaults?: boolean;
  /** What the server sets where it finds nothing, when that is told from the object alone. */
  readonly defaulted?: (object: JsonObject) => JsonObject;
}

/** The kinds that are applied to. */
export type ApplyKindName = "ConfigMap" | "Thing" | "Deployment" | "Service";

const text = { type: "string" };
const texts = { type: "object", additionalProperties: text };
const map = (keys: readonly string[], properties: JsonObject): JsonObject => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items: { type: "object", required: keys.slice(0, 1), properties },
});
const set = { type: "array", "x-kubernetes-list-type": "set", items: text };

/** A custom kind with every way of merging. */
export const thingKind = {
  kind: "Thing",
  plural: "things",
  schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          count: { type: "integer" },
          on: { type: "boolean" },
          granular: { type: "object", properties: { a: text, b: text, deep: texts } },
          atomic: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: text, b: text } },
          texts,
          atomicTexts: { ...texts, "x-kubernetes-map-type": "atomic" },
          set,
          list: { type: "array", items: text },
          objects: { type: "array", "x-kubernetes-list-type": "atomic", items: texts },
          ports: map(["port", "protocol"], {
            port: { type: "integer" },
            protocol: { type: "string", default: "TCP" },
            name: text,
            tags: set,
          }),
          items: map(["name"], {
            name: text,
            value: text,
            sub: { type: "object", properties: { x: text, y: text } },
            nested: map(["id"], { id: { type: "integer" }, value: text }),
          }),
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          either: { "x-kubernetes-int-or-string": true },
        },
      },
      status: {
        type: "object",
        properties: {
          phase: text,
          conditions: map(["type"], { type: text, status: text, reason: text }),
          counts: texts,
        },
      },
    },
  },
};

const table = builtinTable();
const schemas = tableSchemas(table);

function schemaOf(name: string): TypeSchema {
  const schema = schemas(name);
  if (schema === undefined) throw new Error(`${name} is not in the table`);
  return schema;
}

const reset = (...fields: readonly string[]): FieldManagerOptions["resetFields"] =>
  setOf(fields.map((field) => [fieldElement(field)]));

const thing: FieldManagerOptions = {
  apiVersion: `${comparisonGroup}/v1`,
  kind: "Thing",
  schema: structuralSchema(thingKind.schema, {
    objectMeta: schemaOf("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
  }),
};

function builtin(
  group: string,
  kind: string,
  resetFields: FieldManagerOptions["resetFields"],
): FieldManagerOptions {
  const schema = schemaOf(`io.k8s.api.${group === "" ? "core" : group}.v1.${kind}`);
  const emptyObject = zeroObject(table, { group, version: "v1", kind });
  return { apiVersion: group === "" ? "v1" : `${group}/v1`, kind, schema, emptyObject, resetFields };
}

/** Where each kind is written to, and how its writes are tracked. */
export const applyKinds: Readonly<Record<ApplyKindName, ApplyKind>> = {
  ConfigMap: {
    path: "/api/v1/namespaces/NAMESPACE/configmaps",
    options: builtin("", "ConfigMap", undefined),
    typed: asBuiltin,
  },
  Thing: {
    path: `/apis/${comparisonGroup}/v1/namespaces/NAMESPACE/things`,
    options: { ...thing, resetFields: reset("status") },
    typed: asCustom,
    status: { ...thing, subresource: "status", resetFields: reset("metadata", "spec") },
    defaulted: (object) => withItems(object, "ports", (port) => ({ protocol: "TCP", ...port })),
  },
  Deployment: {
    path: "/apis/apps/v1/namespaces/NAMESPACE/deployments",
    options: builtin("apps", "Deployment", reset("status")),
    hasOtherDefaults: true,
    defaulted: (object) => ({ ...object, spec: { replicas: 1, ...objectAt(object, "spec") } }),
    typed: asBuiltin,
  },
  Service: {
    path: "/api/v1/namespaces/NAMESPACE/services",
    options: builtin("", "Service", reset("status")),
    hasOtherDefaults: true,
    defaulted: (object) => withItems(object, "ports", (port) => ({ targetPort: port["port"], ...port })),
    typed: asBuiltin,
  },
};

/** The object with the items of a list in its spec changed. */
function withItems(object: JsonObject, list: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const spec = objectAt(object, "spec");
  const items: unknown = spec[list];
  if (!Array.isArray(items)) return object;
  const changed = items.map((item: unknown) => (isObject(item) ? change(item) : item));
  return { ...object, spec: { ...spec, [list]: changed } };
}
