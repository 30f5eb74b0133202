import { apiVersionOf, type DeepReadonly, type Kind } from "@kedge/machinery";
import {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { CronJob, Job } from "@kedge/machinery/kinds/batch/v1";
import { PersistentVolumeClaim, Pod, ReplicationController } from "@kedge/machinery/kinds/core/v1";
import type { Client } from "@kedge/client";
import { until } from "../wait.ts";
import { makeNamespace, startBothSides, type BothSides } from "./both-sides.ts";
import type { RawObject } from "./mask-objects.ts";
import { endedStatus, playKubelet, type PlayedKubelet } from "./play-kubelet.ts";
import { readEvents } from "./read-objects.ts";
import { serveMetrics } from "./serve-metrics.ts";
import { untilSame } from "./until-same.ts";

/** A scenario's view of one side: its own namespace on one of the two servers. */
export interface Stage {
  readonly client: Client;
  readonly namespace: string;
  readonly at: (name: string) => { namespace: string; name: string };
  /** The pods of the namespace that are there for good, the oldest first; those of one index in front. */
  readonly pods: () => Promise<readonly Pod[]>;
  /** Waits until so many pods run. */
  readonly untilRunning: (count: number) => Promise<readonly Pod[]>;
  /** Ends a pod, an hour ago: no pause is left after a failure. */
  readonly end: (pod: Pod | undefined, exitCode: number, phase?: string) => Promise<void>;
}

/** What is done on both sides, and how it is called. */
export type Scenario = readonly [name: string, act: (stage: Stage) => Promise<void>];

/** Both sides with nodes, for scenarios about workloads. */
export interface WorkloadStages {
  /** Does the same on both sides, each time in a new namespace, and tells what differs then: "" when nothing does. */
  differencesAfter(act: (stage: Stage) => Promise<void>): Promise<{ differences: string; count: string }>;
  stop(): Promise<void>;
}

const kinds: readonly Kind[] = [
  CronJob,
  Job,
  DaemonSet,
  ReplicationController,
  Deployment,
  ReplicaSet,
  StatefulSet,
  ControllerRevision,
  HorizontalPodAutoscaler,
  PersistentVolumeClaim,
  Pod,
];

/** Pods with a container of this image run and never become ready. */
export const stuckImage = "main:stuck";

/** How often autoscalers look: on both sides the same, and sooner than by default. */
const syncPeriod = 2000;

/** Starts both, with nodes of these names on each. */
export async function startWorkloadStages(nodes: readonly string[]): Promise<WorkloadStages> {
  const ours = { horizontalPodAutoscaler: { syncPeriod } };
  return await workloadStages(await startBothSides({ flags: workloadFlags, ours }), nodes);
}

/** Of the controller-manager: autoscalers look sooner than by default. */
export const workloadFlags = { "horizontal-pod-autoscaler-sync-period": `${syncPeriod}ms` };

/** The same on two sides that are there already. */
export async function workloadStages(both: BothSides, nodes: readonly string[]): Promise<WorkloadStages> {
  const kubelets: PlayedKubelet[] = [];
  for (const client of both.clients) {
    await serveMetrics(client);
    for (const name of nodes) kubelets.push(await playKubelet(client, name, { isHeld: isStuck }));
  }
  let scenarios = 0;
  return {
    differencesAfter: async (act) => {
      const namespace = `s${++scenarios}`;
      const stages = both.clients.map((client) => stageIn(client, namespace));
      await Promise.all(
        stages.map(async (stage) => {
          await makeNamespace(stage.client, namespace);
          await act(stage);
        }),
      );
      return untilSame(() => Promise.all(stages.map(read)));
    },
    stop: async () => {
      await Promise.all(kubelets.map((kubelet) => kubelet.stop()));
      await both.stop();
    },
  };
}

function isStuck({ spec }: DeepReadonly<Pod>): boolean {
  return spec.containers.some(({ image }) => image === stuckImage);
}

function stageIn(client: Client, namespace: string): Stage {
  const pods = async (): Promise<readonly Pod[]> => {
    const { items } = await client.of(Pod).list({ namespace }).all();
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .toSorted((one, two) => orderOf(one).localeCompare(orderOf(two), "en", { numeric: true }));
  };
  return {
    client,
    namespace,
    at: (name) => ({ namespace, name }),
    pods,
    untilRunning: async (count) => {
      let running: readonly Pod[] = [];
      const isSo = async (): Promise<boolean> => {
        running = (await pods()).filter(({ status }) => status?.phase === "Running");
        return running.length === count;
      };
      await until(`${count} pods run`, isSo, 120_000).catch(async (error: unknown) => {
        const objects = await read({ client, namespace });
        throw new Error(`there is ${JSON.stringify(objects, undefined, 1)}`, { cause: error });
      });
      return running;
    },
    end: async (pod, exitCode, phase = exitCode === 0 ? "Succeeded" : "Failed") => {
      if (pod === undefined) throw new Error("there is no such pod");
      const status = endedStatus(pod.spec.containers, phase, exitCode, 3600);
      await client.of(Pod).status.patch(pod.metadata, { strategic: { status } });
    },
  };
}

function orderOf({ metadata }: Pod): string {
  const index = metadata.annotations?.["batch.kubernetes.io/job-completion-index"] ?? "";
  return `${index} ${metadata.creationTimestamp} ${metadata.name}`;
}

/** All that a scenario left: objects with every field, and what the controllers said of them. */
async function read({
  client,
  namespace,
}: Pick<Stage, "client" | "namespace">): Promise<readonly RawObject[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const root = kind.group === "" ? "api" : "apis";
      const path = `/${root}/${apiVersionOf(kind)}/namespaces/${namespace}/${kind.plural}`;
      const { items } = (await client.getJson(path)) as { readonly items: readonly RawObject[] };
      return items.map((item): RawObject => withoutHistory({ ...item, kind: kind.kind }));
    }),
  );
  const uids = new Set(lists.flat().map(({ metadata }) => metadata.uid));
  const objects = lists.flat().map((object) => withoutGoneOwner(object, uids));
  const events = await readEvents(client, namespace);
  const names = events.flatMap(({ metadata }) => ownerEvent.exec(metadata.name)?.[1] ?? []);
  const withoutGoneHash = goneHashes(objects);
  const told = events
    .filter(({ metadata, message }) => !momentary.test(`${metadata.name}: ${String(message)}`))
    .filter(({ metadata }) => ownerEvent.test(metadata.name))
    .map((event) => withoutGoneHash(plainEvent(event, names)));
  return [...objects, ...told];
}

const ownerEvent =
  / of (?:Job|CronJob|DaemonSet|ReplicationController|Deployment|ReplicaSet|StatefulSet|HorizontalPodAutoscaler) (.+)$/u;

/** What depends on how soon a controller looks, and on whom: also which events are combined, and who loses a race. */
const momentary = /^UnexpectedJob |: \(combined|the object has been modified|multiple HPAs/u;

/** Pods may outlive the job whose uid they carry. */
function withoutGoneOwner(object: RawObject, uids: ReadonlySet<string>): RawObject {
  const labels = Object.entries(object.metadata.labels ?? {}).map(([name, value]): [string, string] =>
    name.endsWith("controller-uid") && !uids.has(value) ? [name, "<uid of nobody>"] : [name, value],
  );
  if (labels.length === 0) return object;
  return { ...object, metadata: { ...object.metadata, labels: Object.fromEntries<string>(labels) } };
}

/** The names of autoscalers that stand in each other's way come in the order of a map. */
function inAnyOrder(text: string): string {
  return text.replaceAll(
    /multiple HPAs: \[([^\]]+)\]/gu,
    (_, names: string) => `multiple HPAs: ${names.split(" ").toSorted().join(" and ")}`,
  );
}

/** Not who wrote a field, which node the schedulers chose, and which address its kubelet gave: that is chance. */
function withoutHistory(object: RawObject): RawObject {
  const { managedFields: _, ...metadata } = object.metadata;
  if (object.kind === HorizontalPodAutoscaler.kind)
    return {
      ...object,
      metadata,
      status: JSON.parse(inAnyOrder(JSON.stringify(object["status"] ?? {}))) as unknown,
    };
  if (object.kind !== Pod.kind) return { ...object, metadata };
  const isPlaced = object.metadata.ownerReferences?.some(({ kind }) => kind === DaemonSet.kind) === true;
  const spec = { ...(object["spec"] as object), ...(isPlaced ? {} : { nodeName: "<node>" }) };
  const { podIP: _ip, podIPs: _ips, ...status } = object["status"] as Record<string, unknown>;
  return { ...object, metadata, spec, status };
}

/** Replica sets that are gone have hashes that no object tells any more. */
function goneHashes(objects: readonly RawObject[]): (event: RawObject) => RawObject {
  const names = new Set(objects.map(({ metadata }) => metadata.name));
  const plain = (text: string): string =>
    text.replaceAll(/\b([a-z]+)-[bcdf-hj-np-tv-z2456789]{8,10}\b/gu, (name, base: string) =>
      names.has(name) ? name : `${base}-<hash of nobody>`,
    );
  return (event) => ({
    ...event,
    message: inAnyOrder(plain(String(event["message"]))),
    metadata: { ...event.metadata, name: plain(event.metadata.name) },
  });
}

/** Pods that are gone have generated names, too. */
function plainEvent(event: RawObject, owners: readonly string[]): RawObject {
  let message = String(event["message"]);
  for (const name of owners) {
    const generated = new RegExp(`\\b(${name}-(?:\\d+-)?)[bcdf-hj-np-tv-z2456789]{5}\\b`, "gu");
    message = message.replaceAll(generated, "$1<suffix>");
  }
  return { ...event, message, source: undefined };
}
