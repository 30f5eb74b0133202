import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";

const text = { type: "string" };
const whole = { type: "integer" };

/** A custom kind whose schema has a bit of everything that structural schemas have, but CEL. */
export const gadgetDefinition: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.fuzz.kedge.dev" },
  spec: {
    group: "fuzz.kedge.dev",
    scope: "Namespaced",
    names: { kind: "Gadget", plural: "gadgets", shortNames: ["gd"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [
          { name: "Size", type: "string", jsonPath: ".spec.size" },
          { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
          { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: "Since", type: "date", jsonPath: ".spec.since" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "string", enum: ["small", "medium", "large"] },
                  replicas: { type: "integer", format: "int32", minimum: 0, maximum: 9, default: 1 },
                  ratio: { type: "number", minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 },
                  on: { type: "boolean", default: true },
                  code: { type: "string", pattern: "^[a-z][a-z0-9-]*$", minLength: 2, maxLength: 8 },
                  since: { type: "string", format: "date-time" },
                  id: { type: "string", format: "uuid" },
                  address: { type: "string", format: "ipv4" },
                  either: { "x-kubernetes-int-or-string": true },
                  maybe: { type: "string", nullable: true },
                  nested: {
                    type: "object",
                    default: {},
                    properties: {
                      level: { type: "integer", default: 3 },
                      tags: { type: "array", items: text, maxItems: 3, "x-kubernetes-list-type": "set" },
                      deep: {
                        type: "object",
                        required: ["a"],
                        properties: { a: text, b: { ...text, default: "b" } },
                      },
                    },
                  },
                  ports: {
                    type: "array",
                    maxItems: 4,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                    items: {
                      type: "object",
                      required: ["port"],
                      properties: {
                        port: { ...whole, minimum: 1, maximum: 65535 },
                        protocol: { ...text, default: "TCP" },
                        name: text,
                      },
                    },
                  },
                  labels: { type: "object", additionalProperties: text, maxProperties: 3 },
                  choice: {
                    type: "object",
                    properties: { a: text, b: whole },
                    oneOf: [{ required: ["a"] }, { required: ["b"] }],
                  },
                  exact: {
                    type: "object",
                    "x-kubernetes-map-type": "atomic",
                    properties: { a: text, b: text },
                  },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  template: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                  atoms: { type: "array", items: { type: "object", properties: { a: text, b: whole } } },
                },
              },
              status: {
                type: "object",
                properties: {
                  replicas: whole,
                  phase: { type: "string", enum: ["Up", "Down"] },
                  conditions: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    items: { type: "object", required: ["type"], properties: { type: text, status: text } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** Gadgets. */
export const gadget: FuzzKind = {
  apiVersion: "fuzz.kedge.dev/v1",
  kind: "Gadget",
  path: `/apis/fuzz.kedge.dev/v1/namespaces/${fuzzNamespace}/gadgets`,
  strategic: false,
  make: (choose) => choose.fields({ spec: [100, () => gadgetSpec(choose)] }),
  status: (choose) =>
    choose.fields({
      replicas: [50, () => choose.one<unknown>([0, 3], ["x", 1.5])],
      phase: [50, () => choose.one(["Up", "Down"], ["Odd"])],
      conditions: [
        50,
        () =>
          choose.named(["Ready", "Done"], 2, (type) =>
            choose.fields({ type: [100, () => type], status: [80, () => choose.one(["True", "False"])] }),
          ),
      ],
      unknown: [5, () => 1],
    }),
};

function gadgetSpec(choose: Chooser): JsonObject {
  return choose.fields({
    size: [100, () => choose.one<unknown>(["small", "medium", "large"], ["huge", 1, "", null])],
    replicas: [40, () => choose.one<unknown>([0, 3, 9, 2], [-1, 10, "3", 1.5, null])],
    ratio: [20, () => choose.one<unknown>([0.5, 2, 1.5], [0, -1, 0.3, "1"])],
    on: [20, () => choose.one<unknown>([true, false], ["true", 1])],
    code: [25, () => choose.one(["ab", "a-1"], ["a", "Ab", "abcdefghi", ""])],
    since: [
      15,
      () => choose.one(["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5+01:00"], ["yesterday", "2026-01-02"]),
    ],
    id: [10, () => choose.one(["0f0e0d0c-0b0a-4908-8706-050403020100"], ["x"])],
    address: [10, () => choose.one(["1.2.3.4"], ["::1", "1.2.3"])],
    either: [20, () => choose.one<unknown>([1, "1", "50%"], [true, 1.5])],
    maybe: [20, () => choose.one<unknown>(["x", null], [1])],
    nested: [40, () => nested(choose)],
    ports: [30, () => ports(choose)],
    labels: [
      25,
      () =>
        choose.one<JsonObject>(
          [{ a: "b" }, {}, { a: "", "x y": "z" }],
          [{ a: 1 }, { a: "1", b: "2", c: "3", d: "4" }],
        ),
    ],
    choice: [20, () => choose.one<JsonObject>([{ a: "x" }, { b: 1 }], [{}, { a: "x", b: 1 }, { a: 1 }])],
    exact: [20, () => choose.one<JsonObject>([{ a: "1" }, { a: "1", b: "2" }, {}], [{ a: 1 }])],
    free: [
      25,
      () => choose.one<unknown>([{}, { a: { b: [1, null, { c: 1.5 }] } }, { n: null, x: 1e21 }], [[], "x"]),
    ],
    template: [15, () => embedded(choose)],
    atoms: [
      20,
      () =>
        choose.list(2, () => choose.one<JsonObject>([{ a: "x" }, { b: 2 }, {}], [{ a: 1 }, { c: "pruned" }])),
    ],
    unknown: [5, () => choose.one<unknown>([1, { a: "b" }])],
  });
}

function nested(choose: Chooser): JsonObject {
  return choose.fields({
    level: [50, () => choose.one<unknown>([1, 2], ["1", null])],
    tags: [
      50,
      () => choose.one<unknown>([["a"], ["b", "a"], []], [["a", "a"], ["a", "b", "c", "d"], [1], "a"]),
    ],
    deep: [
      40,
      () =>
        choose.fields({
          a: [100, () => choose.one<unknown>(["x"], [1])],
          b: [30, () => "y"],
          pruned: [5, () => 1],
        }),
    ],
  });
}

function ports(choose: Chooser): readonly JsonObject[] {
  return choose.named(["80", "443/UDP", "53/TCP"], 3, (key) => {
    const [port, protocol] = key.split("/");
    return {
      ...choose.fields({
        port: [100, () => choose.one<unknown>([Number(port)], [0, 70000, "80"])],
        name: [40, () => choose.one(["x", "y"])],
      }),
      ...(protocol !== undefined && { protocol }),
    };
  });
}

function embedded(choose: Chooser): JsonObject {
  return choose.one<JsonObject>(
    [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", labels: { x: "y" } }, data: { a: 1 } },
      { apiVersion: "v1", kind: "Thing" },
    ],
    [
      { kind: "ConfigMap" },
      { apiVersion: "v1" },
      { apiVersion: "v1", kind: "C", metadata: { name: "Bad_" } },
      { apiVersion: "v1", kind: "C", metadata: { labels: { a: 1 } } },
      { apiVersion: "a/b/c", kind: "C" },
    ],
  );
}
