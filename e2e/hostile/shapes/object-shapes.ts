import { patch, post, put, repeat, type HostileRequest, type Shape } from "./shape.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const map = `${maps}/target`;
const pod = `${pods}/target`;
const asYaml = { accept: "application/yaml" };

/** Valid objects and patches that are as large as they may be: what is costly to check, merge or track. */
export const objectShapes: readonly Shape[] = [
  { name: "create, keys of a config map", most: 39_900, request: (n) => post(maps, configMap(keys(n))) },
  {
    name: "update, keys of a config map",
    most: 39_900,
    before: (n) => [post(maps, configMap(keys(n)))],
    request: (n) => put(map, configMap(keys(n, "w"))),
  },
  {
    name: "get as YAML, keys of a config map",
    most: 39_900,
    before: (n) => [post(maps, configMap(keys(n)))],
    request: () => ({ method: "GET", path: map, headers: asYaml }),
  },
  {
    name: "list as YAML, keys of a config map",
    most: 39_900,
    before: (n) => [post(maps, configMap(keys(n)))],
    request: () => ({ method: "GET", path: maps, headers: asYaml }),
  },
  {
    name: "apply by kubectl, keys that another owns, with the last applied configuration",
    most: 12_000,
    before: (n) => [apply(map, lastApplied(keys(n)), "a")],
    request: (n) => apply(map, configMap(keys(n, "w")), "kubectl"),
  },
  { name: "create, env entries", most: 13_000, request: (n) => post(pods, podWith(env(n))) },
  { name: "create, the same env entry", most: 13_000, request: (n) => post(pods, podWith(env(n, 1))) },
  ...podLists(),
  { name: "create, labels", most: 39_900, request: (n) => post(maps, withMetadata(`"labels":{${keys(n)}}`)) },
  {
    name: "create, annotations",
    most: 39_900,
    request: (n) => post(maps, withMetadata(`"annotations":{${keys(n)}}`)),
  },
  {
    name: "create, finalizers",
    most: 39_900,
    request: (n) => post(maps, withMetadata(`"finalizers":[${repeat(n, (at) => `"a.b/f${at}"`)}]`)),
  },
  {
    name: "create, owner references",
    most: 10_000,
    request: (n) => post(maps, withMetadata(`"ownerReferences":[${repeat(n, owner)}]`)),
  },
  {
    name: "create, owner references that are all the controller",
    most: 6_000,
    request: (n) => post(maps, withMetadata(`"ownerReferences":[${repeat(n, controllingOwner)}]`)),
  },
  ...(["Apply", "Update"] as const).map((operation) => ({
    name: `create, managers that ${operation}`,
    most: 7_000,
    request: (n: number) =>
      post(maps, withMetadata(`"managedFields":[${repeat(n, (at) => manager(at, operation))}]`)),
  })),
  {
    name: "create, fields of one manager",
    most: 39_900,
    request: (n) => post(maps, withMetadata(`"managedFields":[${manager(0, "Update", n)}]`)),
  },
  {
    name: "apply, keys of a config map",
    most: 39_900,
    request: (n) => apply(map, configMap(keys(n)), "a"),
  },
  {
    name: "apply, keys that another owns",
    most: 39_900,
    before: (n) => [apply(map, configMap(keys(n)), "a")],
    request: (n) => apply(map, configMap(keys(n, "w")), "b"),
  },
  {
    name: "apply, giving up keys",
    most: 39_900,
    before: (n) => [apply(map, configMap(keys(n)), "a")],
    request: () => apply(map, configMap(""), "a"),
  },
  { name: "apply, env entries", most: 13_000, request: (n) => apply(pod, podWith(env(n)), "a") },
  {
    name: "merge patch, keys",
    most: 19_900,
    before: (n) => [post(maps, configMap(keys(n)))],
    request: (n) => patch(map, "merge", configMap(keys(n, "w"))),
  },
  {
    name: "strategic merge patch, finalizers in another order",
    most: 19_900,
    before: (n) => [post(maps, withMetadata(`"finalizers":[${finalizers(n)}]`))],
    request: (n) =>
      patch(map, "strategic", `{"metadata":{"$setElementOrder/finalizers":[${finalizers(n, true)}]}}`),
  },
  {
    name: "strategic merge patch, finalizers deleted",
    most: 19_900,
    before: (n) => [post(maps, withMetadata(`"finalizers":[${finalizers(n)}]`))],
    request: (n) =>
      patch(
        map,
        "strategic",
        `{"metadata":{"$deleteFromPrimitiveList/finalizers":[${finalizers(n, true)}]}}`,
      ),
  },
  {
    name: "strategic merge patch, env entries",
    most: 8_000,
    before: (n) => [post(pods, podWith(env(n)))],
    request: (n) => patch(pod, "strategic", podWith(env(n, n, "w"))),
  },
  {
    name: "strategic merge patch, env entries deleted",
    most: 8_000,
    before: (n) => [post(pods, podWith(env(n)))],
    request: (n) =>
      patch(
        pod,
        "strategic",
        podWith(`"env":[${repeat(n, (at) => `{"name":"E${n - at}","$patch":"delete"}`)}]`),
      ),
  },
  {
    name: "strategic merge patch, env entries in another order",
    most: 5_000,
    before: (n) => [post(pods, podWith(env(n)))],
    request: (n) =>
      patch(
        pod,
        "strategic",
        podWith(
          `"$setElementOrder/env":[${repeat(2 * n, (at) => `{"name":"E${2 * n - at}"}`)}],${env(n, n, "w")}`,
        ),
      ),
  },
  ...jsonPatches(),
  {
    name: "a label selector of many values",
    most: 10_000,
    request: (n) =>
      get(`${maps}?labelSelector=${encodeURIComponent(`a in (${keys(n).replaceAll(/["{}:]/gu, "")})`)}`),
  },
  {
    name: "a field selector of many terms",
    most: 5_000,
    request: (n) => get(`${maps}?fieldSelector=${repeat(n, () => "metadata.name%3Da")}`),
  },
  { name: "slashes in a path", most: 60_000, request: (n) => get(`/${"/".repeat(n)}a`) },
  { name: "query parameters", most: 20_000, request: (n) => get(`${maps}?${repeat(n, () => "a", "&")}`) },
  {
    name: "an Accept header of many types",
    most: 10_000,
    request: (n) => ({ ...get(maps), headers: { accept: repeat(n, (at) => `a/b${at};q=0.${at % 10}`) } }),
  },
  {
    name: "a name of one long text",
    most: 3_000_000,
    request: (n) => post(maps, `{"metadata":{"name":"${"a".repeat(n)}!"}}`),
  },
  {
    name: "base64 of equals signs",
    most: 3_000_000,
    request: (n) =>
      post(
        "/api/v1/namespaces/default/secrets",
        `{"metadata":{"name":"a"},"data":{"a":"${"=".repeat(n)}A"}}`,
      ),
  },
  {
    name: "a quantity of many digits",
    most: 3_000_000,
    request: (n) => post(pods, podWith(`"resources":{"limits":{"cpu":"${"9".repeat(n)}"}}`)),
  },
];

function keys(count: number, value = "v"): string {
  return repeat(count, (at) => `"k${at}":"${value}"`);
}

function configMap(data: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"target"},"data":{${data}}}`;
}

/** With the annotation in which kubectl keeps what it applied the old way. */
function lastApplied(data: string): string {
  const annotation = JSON.stringify(configMap(data));
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"target","annotations":{"kubectl.kubernetes.io/last-applied-configuration":${annotation}}},"data":{${data}}}`;
}

function withMetadata(more: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"target",${more}}}`;
}

function podWith(container: string, more = ""): string {
  return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"target"},"spec":{"containers":[{"name":"a","image":"b"${container === "" ? "" : `,${container}`}}]${more}}}`;
}

function env(count: number, different = count, value = "v"): string {
  return `"env":[${repeat(count, (at) => `{"name":"E${at % different}","value":"${value}"}`)}]`;
}

function finalizers(count: number, reversed = false): string {
  return repeat(count, (at) => `"a.b/f${reversed ? count - at : at}"`);
}

function owner(at: number): string {
  return `{"apiVersion":"v1","kind":"Pod","name":"o${at}","uid":"u${at}"}`;
}

function controllingOwner(at: number): string {
  return `{"apiVersion":"v1","kind":"Pod","name":"o${at}","uid":"u${at}","controller":true}`;
}

function manager(at: number, operation: string, fields = 1): string {
  const owned = repeat(fields, (field) => `"f:k${at}-${field}":{}`);
  return `{"manager":"m${at}","operation":"${operation}","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{${owned}}}}`;
}

function apply(path: string, body: string, manages: string): HostileRequest {
  return patch(`${path}?fieldManager=${manages}`, "apply", body);
}

function get(path: string): HostileRequest {
  return { method: "GET", path, headers: {} };
}

/** Lists of pods and their containers whose items are compared with each other. */
function podLists(): Shape[] {
  const inContainer: readonly (readonly [string, number, (at: number) => string])[] = [
    ["volumeMounts", 9_900, (at) => `{"name":"v","mountPath":"/m${at}"}`],
    ["volumeDevices", 9_900, (at) => `{"name":"v${at}","devicePath":"/m${at}"}`],
    ["ports", 9_900, (at) => `{"containerPort":80,"hostPort":${(at % 60_000) + 1}}`],
    ["resizePolicy", 9_900, (at) => `{"resourceName":"r${at}","restartPolicy":"NotRequired"}`],
    ["envFrom", 13_000, (at) => `{"configMapRef":{"name":"m${at}"}}`],
    ["args", 39_000, (at) => `"${at}"`],
  ];
  const inSpec: readonly (readonly [string, number, (at: number) => string])[] = [
    ["volumes", 9_900, (at) => `{"name":"v${at}","emptyDir":{}}`],
    ["imagePullSecrets", 19_900, (at) => `{"name":"s${at}"}`],
    ["hostAliases", 9_900, (at) => `{"ip":"10.0.0.1","hostnames":["h${at}"]}`],
    ["tolerations", 9_900, (at) => `{"key":"k${at}","operator":"Exists"}`],
    ["schedulingGates", 19_900, (at) => `{"name":"g${at}"}`],
    ["readinessGates", 19_900, (at) => `{"conditionType":"g${at}"}`],
    ["initContainers", 9_000, (at) => `{"name":"c${at}","image":"b"}`],
    [
      "topologySpreadConstraints",
      9_000,
      (at) => `{"maxSkew":1,"topologyKey":"k${at}","whenUnsatisfiable":"DoNotSchedule"}`,
    ],
  ];
  return [
    ...inContainer.map(([list, most, item]) => ({
      name: `create, ${list}`,
      most,
      request: (n: number) => post(pods, podWith(`"${list}":[${repeat(n, item)}]`)),
    })),
    ...inSpec.map(([list, most, item]) => ({
      name: `create, ${list}`,
      most,
      request: (n: number) => post(pods, podWith("", `,"${list}":[${repeat(n, item)}]`)),
    })),
    {
      name: "create, files of a volume",
      most: 9_900,
      request: (n) =>
        post(
          pods,
          podWith(
            "",
            `,"volumes":[{"name":"v","configMap":{"name":"c","items":[${repeat(n, (at) => `{"key":"k${at}","path":"d/p${at}"}`)}]}}]`,
          ),
        ),
    },
    {
      name: "create, the same file of a volume",
      most: 9_900,
      request: (n) =>
        post(
          pods,
          podWith(
            "",
            `,"volumes":[{"name":"v","configMap":{"name":"c","items":[${repeat(n, (at) => `{"key":"k${at}","path":"d"}`)}]}}]`,
          ),
        ),
    },
  ];
}

/** Each is as many operations of one kind as there may be. */
function jsonPatches(): Shape[] {
  const filled = (n: number): HostileRequest[] => [post(maps, configMap(keys(n)))];
  const listed = (n: number): HostileRequest[] => [
    post(maps, withMetadata(`"finalizers":[${finalizers(n)}]`)),
  ];
  const kinds: readonly (readonly [string, number, typeof filled, (at: number) => string])[] = [
    ["additions", 10_000, filled, (at) => `{"op":"add","path":"/data/n${at}","value":"v"}`],
    [
      "items at the front",
      10_000,
      listed,
      (at) => `{"op":"add","path":"/metadata/finalizers/0","value":"a.b/n${at}"}`,
    ],
    ["tests", 10_000, filled, (at) => `{"op":"test","path":"/data/k${at}","value":"v"}`],
    ["moves", 10_000, filled, (at) => `{"op":"move","from":"/data/k${at}","path":"/data/n${at}"}`],
    ["copies of copies", 10_000, filled, () => `{"op":"copy","from":"/data","path":"/data/x"}`],
    ["long paths", 100, filled, () => `{"op":"remove","path":"${"/a".repeat(14_000)}"}`],
  ];
  return kinds.map(([name, most, before, operation]) => ({
    name: `JSON patch, ${name}`,
    most,
    before,
    request: (n) => patch(map, "json", `[${repeat(n, operation)}]`),
  }));
}
