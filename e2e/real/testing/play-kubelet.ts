import type { Client } from "@kedge/client";
import {
  formatTime,
  isConflict,
  isInvalid,
  isNotFound,
  realClock,
  realRandom,
  type DeepReadonly,
} from "@kedge/machinery";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { createInformers } from "@kedge/runtime";

/** Who does on a hand-made node what a kubelet would, without containers. */
export interface PlayedKubelet {
  /** `started x`, `ended x`: in the order of the events, x being `namespace/name`. */
  readonly log: readonly string[];
  /** Pods whose names begin so are started but do not become ready. */
  hold(prefix: string): void;
  /** They do from now on. */
  release(prefix: string): void;
  stop(): Promise<void>;
}

/** What else it does. */
export interface PlayedKubeletOptions {
  /** Takes every pod that has no node, as a scheduler would that knows only this one. Default: none. */
  readonly takesAll?: boolean;
  /** Labels of the node, beside its name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether the node is there already, of an earlier kubelet. Default: it is made. */
  readonly isThere?: boolean;
  /** Pods that are started but do not become ready. Default: those whose names were given to `hold`. */
  readonly isHeld?: (pod: DeepReadonly<Pod>) => boolean;
}

/** Makes a node of this name, and plays its kubelet: pods run and are ready at once, terminating pods are gone at once. */
export async function playKubelet(
  client: Client,
  name: string,
  { takesAll = false, labels = {}, isThere = false, isHeld = () => false }: PlayedKubeletOptions = {},
): Promise<PlayedKubelet> {
  if (!isThere) await makeNode(client, name, labels);
  const held = new Set<string>();
  const log: string[] = [];
  const stopping = new AbortController();
  const pending = new Set<Promise<void>>();
  let addresses = 0;
  const informers = createInformers({ client, clock: realClock, random: realRandom });
  const pods = informers.of(Pod);
  const started = new Map<string, string>();
  const look = (pod: DeepReadonly<Pod>): void => {
    const isFree = takesAll && pod.spec.nodeName === undefined;
    if (!isFree && pod.spec.nodeName !== name) return;
    const work = (isFree ? take(pod) : tend(pod)).catch((error: unknown) => {
      // What changed meanwhile comes again as an event.
      if (!isNotFound(error) && !isConflict(error) && !isInvalid(error)) throw error;
    });
    pending.add(work);
    void work.finally(() => pending.delete(work));
  };
  pods.onEvent(({ type, object }) => {
    if (type !== "deleted") look(object);
  });
  const running = informers.run(stopping.signal);
  await informers.synced();
  return {
    log,
    hold: (prefix) => held.add(prefix),
    release: (prefix) => {
      held.delete(prefix);
      for (const pod of pods.list()) look(pod);
    },
    stop: async () => {
      stopping.abort();
      await running;
      await Promise.all(pending);
    },
  };

  async function take({ metadata }: DeepReadonly<Pod>): Promise<void> {
    if (metadata.deletionTimestamp === undefined) await client.of(Pod).binding.create(metadata, name);
  }

  /** What a pod that does not restart says when it was told to end before it was done. */
  async function tellKilled({ metadata, spec, status }: DeepReadonly<Pod>): Promise<void> {
    const hasEnded = status?.phase === "Failed" || status?.phase === "Succeeded";
    if (spec.restartPolicy === "Always" || hasEnded) return;
    await client.of(Pod).status.patch(metadata, {
      strategic: { metadata: { uid: metadata.uid }, status: endedStatus(spec.containers, "Failed", 137) },
    });
  }

  async function tend(pod: DeepReadonly<Pod>): Promise<void> {
    const { metadata } = pod;
    const told = `${metadata.namespace}/${metadata.name}`;
    if (metadata.deletionTimestamp !== undefined) {
      if (started.delete(metadata.uid)) log.push(`ended ${told}`);
      // Gone already but for its finalizers: there is nothing left to do.
      if (metadata.deletionGracePeriodSeconds === 0 && metadata.finalizers !== undefined) return;
      await tellKilled(pod);
      const preconditions = { uid: metadata.uid };
      await client.of(Pod).delete(metadata, { gracePeriodSeconds: 0, preconditions });
      return;
    }
    if (pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded") return;
    const isHeldBack = isHeld(pod) || [...held].some((prefix) => metadata.name.startsWith(prefix));
    const ready = isHeldBack ? "False" : "True";
    if (pod.status?.conditions?.find(({ type }) => type === "Ready")?.status === ready) return;
    const known = started.get(metadata.uid);
    const podIP = known ?? `10.99.${(addresses >> 8) & 255}.${(addresses++ & 255) + 1}`;
    if (known === undefined) {
      started.set(metadata.uid, podIP);
      log.push(`started ${told}`);
    }
    const condition = { type: "Ready", status: ready, lastTransitionTime: formatTime(realClock.now()) };
    await client.of(Pod).status.patch(metadata, {
      strategic: {
        metadata: { uid: metadata.uid },
        status: { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions: [condition] },
      },
    });
  }
}

/** The status of a pod whose containers have ended, so many seconds ago. */
export function endedStatus(
  containers: readonly { readonly name: string; readonly image?: string | undefined }[],
  phase: string,
  exitCode: number,
  secondsAgo = 0,
) {
  const finishedAt = formatTime(realClock.now() - secondsAgo * 1000);
  const reason = exitCode === 0 ? "Completed" : "Error";
  return {
    phase,
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: finishedAt }],
    containerStatuses: containers.map(({ name, image = "" }) => ({
      name,
      image,
      imageID: "",
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode, reason, startedAt: finishedAt, finishedAt } },
    })),
  };
}

async function makeNode(client: Client, name: string, more: Readonly<Record<string, string>>): Promise<void> {
  const labels = { "kubernetes.io/hostname": name, ...more };
  await client.of(Node).create({ metadata: { name, labels }, spec: {} });
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110" };
  const time = formatTime(realClock.now());
  const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: time, lastTransitionTime: time }];
  const status = { allocatable, capacity: allocatable, conditions };
  await client.of(Node).status.patch({ name }, { merge: { status } });
  // Admission marks a new node as not ready; the node lifecycle controller would take the mark away.
  await client.of(Node).patch({ name }, { merge: { spec: { taints: null } } });
}
