import type { LogFields } from "@kedge/machinery";
import { RedisInstance } from "@kedge/redis-operator";
import type { Cause } from "@kedge/runtime";
import type { Instruments } from "./testing/instruments.ts";
import type { Journal } from "./testing/journal.ts";
import { traceDoors, type TracedTraffic } from "./testing/trace-doors.ts";
import { traceLog } from "./testing/trace-log.ts";
import { traceMounts, traceNetwork, traceRuntime } from "./testing/trace-node.ts";
import { traceStore, type TracedCommit } from "./testing/trace-store.ts";

/** The steps that lead from one to the next, in the order in which they must come. */
export const wayOfRedis = [
  "request",
  "stored",
  "watch event",
  "informer",
  "queue",
  "finalizer",
  "plan",
  "service",
  "config map",
  "stateful set",
  "stateful set queue",
  "claim",
  "pod",
  "node chosen",
  "volume",
  "claim bound",
  "binding",
  "pod assigned",
  "network",
  "volumes",
  "init container",
  "container",
  "probe",
  "pod ready",
  "running",
  "ping",
] as const;

/** Looks into all layers for the RedisInstance default/cache. */
export function redisInstruments(journal: Journal): Instruments {
  return {
    store: traceStore(journal, commits),
    door: traceDoors(journal, traffic),
    network: traceNetwork(journal),
    mounts: traceMounts(journal),
    runtime: traceRuntime(journal, { init: "render-config", main: "redis", probe: "INFO replication" }),
    manager: (name, { informers }) => {
      if (name !== "kedge-operator") return;
      informers.of(RedisInstance).onEvent(({ type, object }) => {
        journal.note("informer", "informer", `${type} ${object.metadata.name} to the operator's cache`);
      });
    },
    logger: traceLog((message, fields) => noteLine(journal, message, fields)),
  };
}

const group = "/apis/redis.github.com/v1/namespaces/default/redisinstances";

const traffic: TracedTraffic = {
  first: {
    name: "request",
    agent: "kubectl",
    method: "POST",
    path: new RegExp(`^${group}$`, "u"),
    layer: "kubectl",
    text: "POST …/namespaces/default/redisinstances through the HTTPS door",
  },
  writes: [
    operator("finalizer", "PATCH", /\/redisinstances\/cache$/u, "adds its finalizer to RedisInstance cache"),
    operator("service", "PATCH", /\/services\/cache$/u, "applies Service cache, which leads to the primary"),
    operator("config map", "PATCH", /\/configmaps\/cache$/u, "applies ConfigMap cache"),
    operator("stateful set", "PATCH", /\/statefulsets\/cache$/u, "applies StatefulSet cache"),
    {
      name: "claim",
      agent: "kube-controller-manager",
      method: "POST",
      path: /\/persistentvolumeclaims$/u,
      layer: "statefulset",
      text: "creates PersistentVolumeClaim redis-data-cache-0",
    },
    {
      name: "pod",
      agent: "kube-controller-manager",
      method: "POST",
      path: /\/pods$/u,
      layer: "statefulset",
      text: "creates Pod cache-0",
    },
    {
      name: "node chosen",
      agent: "default-scheduler",
      method: "PATCH",
      path: /\/persistentvolumeclaims\/redis-data-cache-0$/u,
      layer: "scheduler",
      text: "chooses node-1, and tells the claim",
    },
    {
      name: "volume",
      agent: "kubelet",
      method: "POST",
      path: /\/persistentvolumes$/u,
      layer: "volumes",
      text: "makes a folder on node-1, creates its PersistentVolume",
    },
    {
      name: "binding",
      agent: "default-scheduler",
      method: "POST",
      path: /\/pods\/cache-0\/binding$/u,
      layer: "scheduler",
      text: "binds Pod cache-0 to node-1",
    },
  ],
  news: [
    {
      name: "watch event",
      agent: "kedge-operator",
      path: "/redisinstances",
      object: "cache",
      text: "tells kedge-operator by its watch: ADDED cache",
    },
    {
      name: "pod assigned",
      agent: "kubelet",
      path: "/pods",
      object: "cache-0",
      text: "tells kubelet by its watch: ADDED cache-0",
    },
  ],
};

function operator(name: string, method: string, path: RegExp, text: string): TracedTraffic["first"] {
  return { name, agent: "kedge-operator", method, path, layer: "redis-operator", text };
}

const commits: readonly TracedCommit[] = [
  {
    name: "stored",
    key: "/redisinstances/default/cache",
    layer: "store",
    text: (revision) => `RedisInstance default/cache is on the disk, at revision ${revision}`,
  },
  {
    name: "claim bound",
    key: "/persistentvolumeclaims/default/redis-data-cache-0",
    // What the scheduler waits for; that the status says Bound comes a moment later.
    when: ({ spec }) => spec?.volumeName !== undefined,
    layer: "volumes",
    text: (revision) => `binds the claim to it, at revision ${revision}`,
  },
  {
    name: "pod ready",
    key: "/pods/default/cache-0",
    when: ({ status }) => status?.conditions?.some(isReady) === true,
    layer: "kubelet",
    text: (revision) => `Pod cache-0 is Ready, at revision ${revision}`,
  },
  {
    name: "running",
    key: "/redisinstances/default/cache",
    when: ({ status }) => status?.status === "Running",
    layer: "redis-operator",
    text: (revision) => `status of default/cache is Running, at revision ${revision}`,
  },
];

function isReady({ type, status }: { readonly type: string; readonly status: string }): boolean {
  return type === "Ready" && status === "True";
}

function noteLine(journal: Journal, message: string, fields: LogFields): void {
  const { controller, key } = fields;
  if (key !== "default/cache") return;
  if (message === "A run begins" && controller === "redis-operator") {
    journal.note("queue", "queue", `hands default/cache to redis-operator: ${causesText(fields)}`);
  }
  if (message === "A run begins" && controller === "statefulset-controller") {
    journal.note("stateful set queue", "queue", `hands it to statefulset-controller: ${causesText(fields)}`);
  }
  if (message === "Planned" && controller === "redis-operator") {
    const actions = Array.isArray(fields["actions"]) ? fields["actions"].join(", ") : "";
    journal.note("plan", "redis-operator", `plans: ${actions}`);
  }
}

function causesText({ causes }: LogFields): string {
  const list = Array.isArray(causes) ? (causes as readonly Cause[]) : [];
  return list.map(({ source, reason }) => `${source} ${reason}`).join(", ");
}
