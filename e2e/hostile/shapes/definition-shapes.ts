import { post, repeat, type HostileRequest, type Shape } from "./shape.ts";

/** Definitions of custom resources: large schemas, and what is checked against them. */
export const definitionShapes: readonly Shape[] = [
  {
    name: "definition, properties",
    most: 13_000,
    request: (n) =>
      definition(`{"type":"object","properties":{${repeat(n, (at) => `"p${at}":{"type":"string"}`)}}}`),
  },
  {
    name: "definition, patterns",
    most: 10_000,
    request: (n) =>
      definition(
        `{"type":"object","properties":{${repeat(n, (at) => `"p${at}":{"type":"string","pattern":"^(a|b)*${at}$"}`)}}}`,
      ),
  },
  {
    name: "definition, one long pattern",
    most: 1_600,
    request: (n) => definition(`{"type":"string","pattern":"${"(a|b)*".repeat(n)}"}`),
  },
  { name: "definition, deep", most: 450, request: (n) => definition(nested(n)) },
  {
    name: "definition, required fields",
    most: 39_000,
    request: (n) => definition(`{"type":"object","required":[${repeat(n, (at) => `"p${at}"`)}]}`),
  },
  {
    name: "definition, keys of a list",
    most: 9_900,
    request: (n) =>
      definition(
        `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[${repeat(n, (at) => `"k${at}"`)}],"items":{"type":"object"}}`,
      ),
  },
  {
    name: "definition, the same key of a list",
    most: 39_000,
    request: (n) =>
      definition(
        `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[${repeat(n, () => `"k"`)}],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}}`,
      ),
  },
  {
    name: "definition, enumerations",
    most: 39_000,
    request: (n) => definition(`{"type":"string","enum":[${repeat(n, (at) => `"e${at}"`)}]}`),
  },
  {
    name: "definition, alternatives",
    most: 8_000,
    request: (n) => definition(`{"type":"object","anyOf":[${repeat(n, (at) => `{"required":["a${at}"]}`)}]}`),
  },
  {
    name: "definition, unknown formats",
    most: 10_000,
    request: (n) =>
      definition(
        `{"type":"object","properties":{${repeat(n, (at) => `"p${at}":{"type":"string","format":"f${at}"}`)}}}`,
      ),
  },
];

function definition(schema: string): HostileRequest {
  return post(
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.e.io"},"spec":{"group":"e.io","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":${schema}}}}}]}}`,
  );
}

function nested(n: number): string {
  return `${'{"type":"object","properties":{"a":'.repeat(n)}{"type":"string"}${"}}".repeat(n)}`;
}
