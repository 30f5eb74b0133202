import type { Site } from "../generate/strategic-patch.ts";
import type { JsonObject } from "../json.ts";
import { meta, metadataSites, type StrategicObject } from "./strategic-object.ts";

const container = (name: string | number): JsonObject => ({
  name,
  image: "example.com/app:1",
  imagePullPolicy: "IfNotPresent",
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
});
const env = (name: string | number): JsonObject => ({ name, value: "1" });
const port = (containerPort: string | number): JsonObject => ({ containerPort, protocol: "TCP" });
const mount = (mountPath: string | number): JsonObject => ({ mountPath, name: "data" });
const volume = (name: string | number): JsonObject => ({ name, emptyDir: {} });
/** A reference to a secret. */
export const secret = (name: string | number): JsonObject => ({ name });
const alias = (ip: string | number): JsonObject => ({ ip, hostnames: ["a", "b"] });
const spread = (topologyKey: string | number): JsonObject => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: { app: "web" } },
});

const pod = "spec/template/spec";

function containerSites(name: string): readonly Site[] {
  const at = `${pod}/containers/name=${name}`;
  return [
    {
      is: "list",
      path: `${at}/env`,
      mergeKey: "name",
      has: ["A", "B", "C"],
      lacks: ["D", "E"],
      make: env,
      change: { value: "2" },
    },
    {
      is: "list",
      path: `${at}/ports`,
      mergeKey: "containerPort",
      has: [80, 443],
      lacks: [8080],
      make: port,
      change: { hostPort: 1 },
    },
    {
      is: "list",
      path: `${at}/volumeMounts`,
      mergeKey: "mountPath",
      has: ["/a", "/b"],
      lacks: ["/c"],
      make: mount,
      change: { readOnly: true },
    },
    {
      is: "fixed",
      path: `${at}/resources`,
      patches: [
        { limits: { cpu: "2" } },
        { limits: null },
        { requests: { memory: "1Gi" }, limits: { cpu: "1", memory: null } },
        { $patch: "replace" },
      ],
    },
  ];
}

const fullContainer = (name: string): JsonObject => ({
  ...container(name),
  env: ["A", "B", "C"].map(env),
  ports: [80, 443].map(port),
  volumeMounts: ["/a", "/b"].map(mount),
  resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1" } },
});

/** A Deployment whose pods have something in every list. */
export const deployment: StrategicObject = {
  type: "io.k8s.api.apps.v1.Deployment",
  path: "/apis/apps/v1/namespaces/NAMESPACE/deployments",
  object: {
    metadata: meta("web"),
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web", tier: "front" } },
        spec: {
          containers: [fullContainer("web"), fullContainer("side")],
          initContainers: [container("first"), container("second")],
          volumes: [
            volume("data"),
            volume("cache"),
            { name: "config", configMap: { name: "c", defaultMode: 420 } },
          ],
          imagePullSecrets: [secret("x"), secret("y")],
          hostAliases: [alias("10.0.0.1"), alias("10.0.0.2")],
          topologySpreadConstraints: [spread("zone"), spread("host")],
          tolerations: [{ key: "a", operator: "Exists" }],
          nodeSelector: { disk: "ssd", zone: "a" },
        },
      },
    },
  },
  sites: [
    ...metadataSites,
    ...containerSites("web"),
    ...containerSites("side"),
    {
      is: "list",
      path: `${pod}/containers`,
      mergeKey: "name",
      has: ["web", "side"],
      lacks: ["third"],
      make: container,
      change: { image: "example.com/app:2" },
    },
    {
      is: "list",
      path: `${pod}/initContainers`,
      mergeKey: "name",
      has: ["first", "second"],
      lacks: ["zeroth"],
      make: container,
      change: { tty: true },
    },
    {
      is: "list",
      path: `${pod}/volumes`,
      mergeKey: "name",
      has: ["data", "cache", "config"],
      lacks: ["more"],
      make: volume,
      change: {},
    },
    {
      is: "list",
      path: `${pod}/imagePullSecrets`,
      mergeKey: "name",
      has: ["x", "y"],
      lacks: ["z"],
      make: secret,
      change: {},
    },
    {
      is: "list",
      path: `${pod}/hostAliases`,
      mergeKey: "ip",
      has: ["10.0.0.1", "10.0.0.2"],
      lacks: ["10.0.0.3"],
      make: alias,
      change: { hostnames: ["c"] },
    },
    {
      is: "list",
      path: `${pod}/topologySpreadConstraints`,
      mergeKey: "topologyKey",
      has: ["zone", "host"],
      lacks: ["rack"],
      make: spread,
      change: { maxSkew: 2 },
    },
    { is: "map", path: `${pod}/nodeSelector`, has: ["disk", "zone"], lacks: ["cpu"] },
    { is: "map", path: "spec/template/metadata/labels", has: ["tier"], lacks: ["x"] },
    {
      is: "fixed",
      path: "spec/strategy",
      patches: [
        { $retainKeys: ["type"], type: "Recreate" },
        { $retainKeys: ["type"], type: "Recreate", rollingUpdate: null },
        { $retainKeys: ["type", "rollingUpdate"], rollingUpdate: { maxSurge: 1 } },
        { type: "Recreate", rollingUpdate: null },
        { rollingUpdate: { maxSurge: 3, maxUnavailable: "10%" } },
        { $patch: "replace", type: "Recreate" },
      ],
      faulty: [
        { $retainKeys: ["rollingUpdate"], type: "Recreate" },
        { $retainKeys: "type", type: "Recreate" },
        { $retainKeys: [7], type: "Recreate" },
      ],
    },
    {
      is: "fixed",
      path: `${pod}/volumes`,
      patches: [
        [{ name: "data", $retainKeys: ["name", "configMap"], configMap: { name: "c", defaultMode: 420 } }],
        [{ name: "config", $retainKeys: ["emptyDir", "name"], emptyDir: {} }],
        [{ name: "config", $retainKeys: ["name", "configMap"], configMap: { name: "d" } }],
        [
          { name: "data", emptyDir: { medium: "Memory" } },
          { name: "cache", emptyDir: null, configMap: { name: "c", defaultMode: 384 } },
        ],
      ],
      faulty: [[{ name: "data", $retainKeys: ["name"], configMap: { name: "c" } }]],
    },
    {
      is: "fixed",
      path: `${pod}/tolerations`,
      patches: [
        [{ key: "b", operator: "Equal", value: "1", effect: "NoSchedule" }],
        [],
        [{ key: "a", operator: "Exists", effect: "NoExecute" }, { operator: "Exists" }],
      ],
    },
    {
      is: "fixed",
      path: `${pod}/`,
      patches: [
        { securityContext: { runAsUser: 1, supplementalGroups: [1, 2] }, terminationGracePeriodSeconds: 5 },
        { securityContext: { $patch: "replace", runAsGroup: 7 } },
        { affinity: { podAffinity: {} }, dnsConfig: { nameservers: ["10.0.0.1"], searches: ["a"] } },
        { hostNetwork: null, schedulerName: "other", priority: null },
      ],
      faulty: [
        { containers: { web: {} } },
        { containers: "none" },
        { containers: [["web"]] },
        { containers: ["web"] },
        { containers: [null] },
        { volumes: [{ $patch: "delete" }] },
        { $patch: "bogus" },
        { "$setElementOrder/containers": "web", containers: [{ name: "web", tty: true }] },
        { "$setElementOrder/": [{ name: "web" }] },
        { "$setElementOrder/containers": [{ image: "web" }] },
        { "$deleteFromPrimitiveList/containers": ["web"] },
        { "$deleteFromPrimitiveList/tolerations": ["web"] },
        { nodeSelector: [] },
      ],
    },
  ],
};
