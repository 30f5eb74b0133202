import { isJsonObject, type Random } from "@kedge/machinery";
import { RedisInstance } from "@kedge/redis-operator";
import { crdOf } from "@kedge/schema";

/** A field of the spec that has no fields of its own. */
export interface Leaf {
  /** `storage.size`; `[]` for an entry of a list, `*` for one of a map. */
  readonly path: string;
  /** A spec with no more than this field and what must be beside it. */
  readonly spec: Readonly<Record<string, unknown>>;
}

type Schema = Readonly<Record<string, unknown>>;

/** Every leaf of the spec of a RedisInstance, by its CustomResourceDefinition, with a value that is not the default. */
export function specLeaves(): readonly Leaf[] {
  const [version] = crdOf(RedisInstance).spec.versions;
  const schema: unknown = version?.schema?.openAPIV3Schema;
  const spec = isJsonObject(schema) && isJsonObject(schema["properties"]) ? schema["properties"]["spec"] : {};
  return leavesOf(isJsonObject(spec) ? spec : {}, "").map(({ path, value }) => ({
    path,
    spec: isJsonObject(value) ? value : {},
  }));
}

interface Built {
  readonly path: string;
  readonly value: unknown;
}

/** What a value of a schema can be, once for each of its leaves. */
function leavesOf(schema: Schema, path: string): readonly Built[] {
  const known = values[path];
  if (known !== undefined) return [{ path, value: known }];
  const { properties, items, additionalProperties, required } = schema;
  if (isJsonObject(properties)) {
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const beside = Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => needed.includes(name))
        .map(([name, inner]) => [name, valueOf(isJsonObject(inner) ? inner : {}, join(path, name))]),
    );
    const sensible = companions.find(([where]) => where.test(path))?.[1];
    return Object.entries(properties).flatMap(([name, inner]) =>
      leavesOf(isJsonObject(inner) ? inner : {}, join(path, name)).map((leaf) => ({
        path: leaf.path,
        value: { ...beside, ...sensible, [name]: leaf.value },
      })),
    );
  }
  if (isJsonObject(items))
    return leavesOf(items, `${path}[]`).map((leaf) => ({ ...leaf, value: [leaf.value] }));
  if (isJsonObject(additionalProperties))
    return leavesOf(additionalProperties, `${path}.*`).map((leaf) => ({
      ...leaf,
      value: { [mapKeys[path] ?? "example"]: leaf.value },
    }));
  return [{ path, value: valueOf(schema, path) }];
}

/** Any value that the schema takes. */
function valueOf(schema: Schema, path: string): unknown {
  const known = values[path] ?? endings.find(([where]) => where.test(path))?.[1];
  if (known !== undefined) return known;
  const { type, enum: choices, minimum } = schema;
  if (Array.isArray(choices)) return choices.at(-1);
  if (schema["x-kubernetes-int-or-string"] === true) return "1";
  if (type === "boolean") return schema["default"] !== true;
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum + 1 : 1;
  if (type === "array") return isJsonObject(schema["items"]) ? [valueOf(schema["items"], `${path}[]`)] : [];
  if (type === "object") return leavesOf(schema, path)[0]?.value ?? {};
  return "example";
}

/** Where a value of the type alone would make no sense. */
const values: Readonly<Record<string, unknown>> = {
  image: "redis:7.0.15",
  redisVersion: "7.0",
  replicas: 2,
  highAvailability: false,
  "storage.size": "2Gi",
  "storage.storageClassName": "local-path",
  "config.*": "17",
  "auth.oldPasswordSeconds": 60,
  "auth.secretRef.name": "cache-password",
  "users[].name": "app",
  "users[].commands": ["+get"],
  "metrics.image": "oliver006/redis_exporter:v1.45",
  deletionPolicy: "Delete",
};

/** The same for Kubernetes' own types, which are in several places. */
const endings: readonly (readonly [RegExp, unknown])[] = [
  [/tolerations\[\]\.operator$/u, "Exists"],
  [/tolerations\[\]\.effect$/u, "NoSchedule"],
  [/match(?:Expressions|Fields)\[\]\.operator$/u, "NotIn"],
  [/matchFields\[\]\.key$/u, "metadata.name"],
  [/topologyKey$/u, "topology.kubernetes.io/zone"],
  [/\.(?:nodeAffinityPolicy|nodeTaintsPolicy)$/u, "Ignore"],
  [/whenUnsatisfiable$/u, "ScheduleAnyway"],
  [/ipBlock\.cidr$/u, "10.0.0.0/16"],
  [/ipBlock\.except\[\]$/u, "10.1.0.0/16"],
];

/** What must be beside a field for it to make sense, by the path of both. */
const companions: readonly (readonly [RegExp, object])[] = [
  // As the instance was made.
  [/^$/u, { image: "redis:7.0" }],
  [/\.matchFields\[\]$/u, { key: "metadata.name", operator: "In", values: ["node-1"] }],
  [/\.matchExpressions\[\]$/u, { key: "example", operator: "In", values: ["one"] }],
  [/\.tolerations\[\]$/u, { key: "example", effect: "NoExecute" }],
  [/\.podAffinityTerm$/u, { topologyKey: "kubernetes.io/hostname", labelSelector: {} }],
  [/\.pod(?:Anti)?Affinity\.required\w+\[\]$/u, { topologyKey: "kubernetes.io/hostname", labelSelector: {} }],
  [
    /\.topologySpreadConstraints\[\]$/u,
    { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule" },
  ],
  [/\.ipBlock$/u, { cidr: "10.0.0.0/8" }],
];

const mapKeys: Readonly<Record<string, string>> = {
  config: "databases",
  "resources.limits": "memory",
  "resources.requests": "memory",
};

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** A spec of a few leaves, with values that people and programs may come to write: right, wrong and absurd. */
export function fuzzedSpec(random: Random, leaves: readonly Leaf[]): Readonly<Record<string, unknown>> {
  const count = 1 + random.int(5);
  const parts = Array.from({ length: count }, () => leaves[random.int(leaves.length)]?.spec ?? {});
  const whole: Record<string, unknown> = { image: "redis:7.0" };
  for (const part of parts)
    for (const [name, value] of Object.entries(part))
      whole[name] = random.int(4) === 0 ? absurd(value, random) : value;
  return whole;
}

/** Something of the same shape that nobody would want; now and then of another shape. */
function absurd(value: unknown, random: Random): unknown {
  if (random.int(16) === 0) return [null, [], {}, 7, "x", true][random.int(6)];
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return random.int(3) === 0 ? [] : [...list, ...list].map((one) => absurd(one, random));
  }
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, absurd(one, random)]));
  if (typeof value === "number") return [0, 1, 16, 2 ** 31 - 1, -1][random.int(5)];
  if (typeof value !== "string") return value;
  return ["", "x".repeat(300), "a b\nc", "../../etc", "1e309Gi", "-1", "é☃", "{{ }}", "$(id)"][random.int(9)];
}
