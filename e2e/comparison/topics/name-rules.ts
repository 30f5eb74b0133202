import {
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateHttpHeaderName,
  validateLabelValue,
  validatePathSegmentName,
  validatePortName,
  validateQualifiedName,
  validateRelaxedEnvVarName,
  validateWildcardDns1123Subdomain,
} from "@kedge/machinery";
import type { JsonObject } from "../json.ts";

/** A kind of names: an object that has one, and which of our functions says what is wrong with it. */
export interface NameRule {
  /** Where objects are created. */
  readonly path: string;
  readonly body: (name: string) => JsonObject;
  /** The field that is complained of. */
  readonly field: (name: string) => string;
  readonly validate: (name: string) => string[];
}

/** The kinds of names that are asked for. */
export type RuleName = keyof typeof rules;

const core = "/api/v1/namespaces/NAMESPACE";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const metaName = (): string => "metadata.name";

/** Names of everything, and who says what is wrong with them. */
export const rules = {
  "config map": {
    path: `${core}/configmaps`,
    body: (name) => ({ metadata: { name } }),
    field: metaName,
    validate: validateDns1123Subdomain,
  },
  namespace: {
    path: "/api/v1/namespaces",
    body: (name) => ({ metadata: { name } }),
    field: metaName,
    validate: validateDns1123Label,
  },
  service: {
    path: `${core}/services`,
    body: (name) => ({ metadata: { name }, spec: { clusterIP: "None", ports: [{ port: 80 }] } }),
    field: metaName,
    validate: validateDns1123Label,
  },
  role: {
    path: "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles",
    body: (name) => ({ metadata: { name } }),
    field: metaName,
    validate: validatePathSegmentName,
  },
  container: podRule((name) => ({ name }), "name", validateDns1123Label),
  port: podRule((name) => ({ ports: [{ name, containerPort: 80 }] }), "ports[0].name", validatePortName),
  variable: podRule((name) => ({ env: [{ name }] }), "env[0].name", validateRelaxedEnvVarName),
  header: podRule(
    (name) => ({ livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name, value: "x" }] } } }),
    "livenessProbe.httpGet.httpHeaders",
    validateHttpHeaderName,
  ),
  "label key": {
    path: `${core}/configmaps`,
    body: (name) => ({ metadata: { name: "x", labels: { [name]: "x" } } }),
    field: () => "metadata.labels",
    validate: validateQualifiedName,
  },
  "label value": {
    path: `${core}/configmaps`,
    body: (name) => ({ metadata: { name: "x", labels: { x: name } } }),
    field: () => "metadata.labels",
    validate: validateLabelValue,
  },
  "annotation key": {
    path: `${core}/configmaps`,
    body: (name) => ({ metadata: { name: "x", annotations: { [name]: "x" } } }),
    field: () => "metadata.annotations",
    validate: (name) => validateQualifiedName(name.toLowerCase()),
  },
  // Built-in kinds want more: a finalizer of theirs has a slash, or is one of three.
  finalizer: {
    path: definitions,
    body: (name) => definition({ finalizers: [name] }, {}),
    field: () => "metadata.finalizers",
    validate: validateQualifiedName,
  },
  "data key": {
    path: `${core}/configmaps`,
    body: (name) => ({ metadata: { name: "x" }, data: { [name]: "x" } }),
    field: (name) => `data[${name}]`,
    validate: validateConfigMapKey,
  },
  "ingress host": {
    path: "/apis/networking.k8s.io/v1/namespaces/NAMESPACE/ingresses",
    body: (host) => ({
      metadata: { name: "x" },
      spec: { rules: [{ host, http: { paths: [ingressPath] } }] },
    }),
    field: () => "spec.rules[0].host",
    validate: (host) =>
      host.includes("*") ? validateWildcardDns1123Subdomain(host) : validateDns1123Subdomain(host),
  },
  "short name of a kind": {
    path: definitions,
    body: (name) => definition({}, { shortNames: [name] }),
    field: () => "spec.names.shortNames[0]",
    // All faults in one complaint.
    validate: (name) => [validateDns1035Label(name).join(",")].filter((faults) => faults !== ""),
  },
} as const satisfies Record<string, NameRule>;

const ingressPath = {
  path: "/",
  pathType: "Prefix",
  backend: { service: { name: "x", port: { number: 80 } } },
};

function definition(metadata: JsonObject, names: JsonObject): JsonObject {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    metadata: { name: "shorts.example.com", ...metadata },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Short", plural: "shorts", ...names },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

/** A name in a container. */
function podRule(
  container: (name: string) => JsonObject,
  field: string,
  validate: NameRule["validate"],
): NameRule {
  return {
    path: `${core}/pods`,
    body: (name) => ({
      metadata: { name: "x" },
      spec: { containers: [{ name: "c", image: "i", ...container(name) }] },
    }),
    field: () => `spec.containers[0].${field}`,
    validate,
  };
}
