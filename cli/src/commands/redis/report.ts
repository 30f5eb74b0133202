import type { DeepReadonly } from "@kedge/machinery";
import { replicationOf, type RedisInstance } from "@kedge/redis-operator";
import { adviceOf } from "./advice.ts";
import type { AskedPod } from "./asked-pod.ts";
import type { ReadServer } from "./read-server.ts";

/** All that `kedge redis status` says, as its JSON has it. */
export interface InstanceReport {
  readonly namespace: string;
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly ready: string;
  readonly image: string;
  readonly primary: string;
  readonly epoch: number | undefined;
  readonly primarySince: string | undefined;
  readonly servers: readonly ServerRow[];
  /** Those that say that something is not as it should be. */
  readonly conditions: readonly {
    readonly type: string;
    readonly reason: string;
    readonly message: string;
  }[];
  readonly advice: readonly string[];
}

/** One pod. */
export interface ServerRow {
  readonly pod: string;
  readonly role: string;
  /** Of a replica: up, syncing or down. */
  readonly link: string | undefined;
  /** Bytes behind the primary. */
  readonly lagBytes: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly maxMemoryBytes: number | undefined;
  readonly keys: number | undefined;
  readonly clients: number | undefined;
  readonly version: string | undefined;
  readonly node: string | undefined;
  readonly ready: boolean;
  /** Why its server did not answer. */
  readonly problem: string | undefined;
}

/** Puts together what is known. */
export function reportOf(instance: DeepReadonly<RedisInstance>, asked: readonly AskedPod[]): InstanceReport {
  const { metadata, spec, status } = instance;
  const { primary, epoch, since } = replicationOf(instance);
  const ofPrimary = asked.find(({ pod }) => pod.metadata.name === primary)?.server;
  const offset = ofPrimary instanceof Error ? undefined : ofPrimary?.facts.history.offset;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    status: status?.status ?? "Unknown",
    message: status?.lastConditionMessage ?? "",
    ready: status?.readyReplicas ?? `0/${spec.replicas}`,
    image: spec.image,
    primary,
    epoch,
    primarySince: since,
    servers: asked.map((one) => rowOf(one, offset)),
    conditions: (status?.conditions ?? [])
      .filter(({ type, status: holds }) =>
        bad.has(type) ? holds === "True" : good.has(type) && holds === "False",
      )
      .map(({ type, reason, message }) => ({ type, reason, message })),
    advice: adviceOf(instance, asked),
  };
}

const good = new Set([
  "Ready",
  "Available",
  "SpecAccepted",
  "ConfigApplied",
  "StorageReady",
  "AuthReady",
  "FailoverAvailable",
]);
const bad = new Set(["Stalled", "Degraded", "Suspended", "PrimaryHeld", "ConfigurationWarning"]);

function rowOf({ pod, server }: AskedPod, primaryOffset: number | undefined): ServerRow {
  const facts = server instanceof Error ? undefined : server.facts;
  const clients = Number(facts?.info.get("connected_clients"));
  return {
    pod: pod.metadata.name,
    role: facts?.role ?? "unknown",
    link: linkOf(facts),
    lagBytes:
      facts?.role === "replica" && primaryOffset !== undefined
        ? Math.max(0, primaryOffset - facts.history.offset)
        : undefined,
    memoryBytes: facts?.memory.used,
    maxMemoryBytes: facts?.memory.max,
    keys: facts?.keys,
    clients: Number.isSafeInteger(clients) ? clients : undefined,
    version: facts === undefined ? undefined : `${facts.software} ${facts.version}`,
    node: pod.spec?.nodeName,
    ready: pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false,
    problem: server instanceof Error ? server.message : undefined,
  };
}

function linkOf(facts: ReadServer["facts"] | undefined): string | undefined {
  if (facts?.upstream === undefined) return undefined;
  if (facts.upstream.isUp) return "up";
  return facts.upstream.isSyncing ? "syncing" : "down";
}
