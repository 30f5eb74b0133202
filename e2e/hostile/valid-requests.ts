import { patch, post, put, type HostileRequest } from "./shapes/shape.ts";

const core = "/api/v1/namespaces/default";
const apps = "/apis/apps/v1/namespaces/default";
const things = "/apis/e.io/v1/namespaces/default/things";

/** What exists when the mutated requests come. */
export const prepared: readonly HostileRequest[] = [
  create(`${core}/serviceaccounts`, { metadata: { name: "default" } }),
  create(`${core}/configmaps`, { metadata: { name: "a", labels: { app: "a" } }, data: { k: "v" } }),
  create(`${core}/pods`, { metadata: { name: "a" }, ...podTemplate() }),
  create(`${apps}/deployments`, { metadata: { name: "a" }, spec: deploymentSpec() }),
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition("things")),
];

/** Answered when the custom kind of `prepared` is served. */
export const thingsList: HostileRequest = { method: "GET", path: things, headers: {} };

/** Valid requests of every kind, which are mutated. */
export const validRequests: readonly HostileRequest[] = [
  ...[
    "/",
    "/api",
    "/apis",
    "/api/v1",
    "/apis/apps/v1",
    "/openapi/v3",
    "/openapi/v3/apis/apps/v1",
    "/version",
    "/healthz",
    "/readyz?verbose",
    "/api/v1/namespaces",
    "/api/v1/nodes",
    `${core}/configmaps`,
    `${core}/configmaps/a`,
    `${core}/configmaps?limit=1`,
    `${core}/configmaps?watch=true&timeoutSeconds=1`,
    `${core}/configmaps?labelSelector=app%3Da&fieldSelector=metadata.name%3Da`,
    `${core}/pods/a/log`,
    `${core}/pods/a/status`,
    `${apps}/deployments/a/scale`,
    things,
    `${things}/a`,
  ].map((path) => ({ method: "GET", path, headers: { accept: "application/json" } })),
  create(`${core}/configmaps`, {
    metadata: { generateName: "b-" },
    data: { k: "v" },
    binaryData: { b: "YQ==" },
  }),
  create(`${core}/secrets`, { metadata: { generateName: "b-" }, stringData: { k: "v" }, type: "Opaque" }),
  create(`${core}/pods`, { metadata: { generateName: "b-" }, ...podTemplate() }),
  create(`${core}/services`, {
    metadata: { generateName: "b-" },
    spec: { selector: { app: "a" }, ports: [{ name: "http", port: 80, targetPort: "http" }] },
  }),
  create(`${core}/persistentvolumeclaims`, {
    metadata: { generateName: "b-" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  create(`${core}/events`, {
    metadata: { generateName: "b-" },
    involvedObject: { kind: "Pod", name: "a", namespace: "default" },
    reason: "R",
    message: "m",
    type: "Normal",
  }),
  create(`${core}/pods/a/binding`, { metadata: { name: "a" }, target: { kind: "Node", name: "n" } }),
  create(`${core}/pods/a/eviction`, { metadata: { name: "a" } }),
  create(`${apps}/deployments`, { metadata: { generateName: "b-" }, spec: deploymentSpec() }),
  create(`${apps}/statefulsets`, {
    metadata: { generateName: "b-" },
    spec: {
      ...deploymentSpec(),
      serviceName: "s",
      volumeClaimTemplates: [{ metadata: { name: "c" }, spec: {} }],
    },
  }),
  create("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", {
    metadata: { generateName: "b-" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, maxReplicas: 3 },
  }),
  create("/apis/coordination.k8s.io/v1/namespaces/default/leases", {
    metadata: { generateName: "b-" },
    spec: { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" },
  }),
  create("/api/v1/namespaces", { metadata: { generateName: "b-" } }),
  create("/api/v1/nodes", {
    metadata: { generateName: "b-" },
    spec: { taints: [{ key: "a", effect: "NoSchedule" }] },
  }),
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition("others")),
  create(things, {
    apiVersion: "e.io/v1",
    kind: "Thing",
    metadata: { generateName: "b-" },
    spec: { size: 3, list: [{ name: "a" }] },
  }),
  put(`${core}/configmaps/a`, JSON.stringify({ metadata: { name: "a" }, data: { k: "w" } })),
  put(`${core}/pods/a/status`, JSON.stringify({ metadata: { name: "a" }, status: { phase: "Running" } })),
  put(`${apps}/deployments/a/scale`, JSON.stringify({ metadata: { name: "a" }, spec: { replicas: 2 } })),
  patch(`${core}/configmaps/a`, "merge", '{"data":{"k":"x","y":null}}'),
  patch(
    `${core}/configmaps/a`,
    "json",
    '[{"op":"add","path":"/data/n","value":"v"},{"op":"test","path":"/data/n","value":"v"},{"op":"remove","path":"/data/n"},{"op":"copy","from":"/data","path":"/metadata/labels"}]',
  ),
  patch(
    `${core}/pods/a`,
    "strategic",
    '{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a","image":"c"}]},"metadata":{"$deleteFromPrimitiveList/finalizers":["x"]}}',
  ),
  patch(
    `${apps}/deployments/a`,
    "strategic",
    '{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"},"template":{"spec":{"containers":[{"name":"a","env":[{"name":"E","value":"v"},{"name":"F","$patch":"delete"}]}]}}}}',
  ),
  patch(
    `${core}/configmaps/a?fieldManager=m&force=true`,
    "apply",
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"z"}}',
  ),
  patch(
    `${core}/configmaps/a?fieldManager=m`,
    "apply",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: &x v\n  l: *x\n",
  ),
  patch(
    `${things}/a?fieldManager=m`,
    "apply",
    '{"apiVersion":"e.io/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"size":1}}',
  ),
  {
    ...create(`${core}/configmaps`, {}),
    headers: { "content-type": "application/yaml" },
    body: "metadata:\n  generateName: b-\ndata:\n  on: 'yes'\n",
  },
  {
    method: "POST",
    path: `${core}/persistentvolumeclaims`,
    headers: { "content-type": "application/vnd.kubernetes.protobuf" },
    body: Buffer.from(
      "azhzAAobCgJ2MRIVUGVyc2lzdGVudFZvbHVtZUNsYWltEkYKFAoEZGF0YRIAGgAiACoAMgA4AEIAEioKDVJlYWRXcml0ZU9uY2USFRITCgdzdG9yYWdlEggKBjE1MzZNaRoAKgAaAgoAGgAiAA==",
      "base64",
    ),
  },
  {
    method: "DELETE",
    path: `${core}/configmaps/b`,
    headers: { "content-type": "application/json" },
    body: '{"gracePeriodSeconds":0,"propagationPolicy":"Background","preconditions":{"uid":"u"}}',
  },
  { method: "DELETE", path: `${core}/secrets?labelSelector=a%3Db`, headers: {} },
];

function create(path: string, object: unknown): HostileRequest {
  return post(path, JSON.stringify(object));
}

function podTemplate(): { readonly spec: unknown } {
  return {
    spec: {
      containers: [
        {
          name: "a",
          image: "b",
          env: [
            { name: "E", value: "v" },
            { name: "F", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          ],
          ports: [{ containerPort: 80, protocol: "TCP" }],
          resources: { requests: { cpu: "100m", memory: "64Mi" } },
          volumeMounts: [{ name: "v", mountPath: "/v" }],
          livenessProbe: { httpGet: { path: "/", port: 80 } },
        },
      ],
      volumes: [{ name: "v", configMap: { name: "c", items: [{ key: "k", path: "p/q" }] } }],
      tolerations: [{ key: "a", operator: "Exists" }],
      securityContext: { runAsUser: 1, fsGroup: 2 },
    },
  };
}

function deploymentSpec(): object {
  return {
    replicas: 1,
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, ...podTemplate() },
  };
}

function definition(plural: string): unknown {
  const kind = plural === "things" ? "Thing" : "Other";
  return {
    metadata: { name: `${plural}.e.io` },
    spec: {
      group: "e.io",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
          },
          additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    size: { type: "integer", minimum: 0, maximum: 9, default: 3 },
                    text: { type: "string", pattern: "^a+$", maxLength: 5 },
                    list: {
                      type: "array",
                      "x-kubernetes-list-type": "map",
                      "x-kubernetes-list-map-keys": ["name"],
                      items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
                    },
                    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  },
                },
                status: { type: "object", properties: { size: { type: "integer" } } },
              },
            },
          },
        },
      ],
    },
  };
}
