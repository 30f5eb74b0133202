import { chmod, mkdir, readFile } from "node:fs/promises";
import type { Client } from "@kedge/client";
import {
  parseQuantity,
  quantityToNumber,
  silentLogger,
  type Clock,
  type Logger,
  type Random,
} from "@kedge/machinery";
import { Pod, Service } from "@kedge/machinery/kinds/core/v1";
import type { PodNetwork } from "@kedge/network";
import { createEventRecorder, createInformers } from "@kedge/runtime";
import { EvictionManager } from "../eviction/eviction-manager.ts";
import { machineSupplies } from "../eviction/machine-supplies.ts";
import { hasRunning, podsWithUse } from "../eviction/pod-use.ts";
import type { EvictionOptions } from "../eviction/types.ts";
import { serveNodeApi, type NodeApiOptions } from "../api/node-api.ts";
import type { ClusterDns } from "../containers/resolv-conf.ts";
import type { ImageStore } from "../images/types.ts";
import { rotateLogs, type WrittenLog } from "../logs/rotate-logs.ts";
import { capacityOf, hasAppArmor, machineFacts, type NodeCapacity } from "../node/machine-facts.ts";
import { collectRegularly } from "../node/image-collector.ts";
import { NodePresence } from "../node/node-presence.ts";
import type { PodContext } from "../pod/context.ts";
import { findPods, removeOrphans } from "../pod/orphans.ts";
import { logPathOf } from "../pod/labels.ts";
import { createPodApi } from "../pod/pod-api.ts";
import { PodRuntimeManager } from "../pod/pod-runtime-manager.ts";
import { podsFolder } from "../pod/pod-folder.ts";
import { attachPod } from "../pod/prepare-pod.ts";
import { PodWorkers } from "../pod/pod-workers.ts";
import { watchObjects } from "../pod/watched-objects.ts";
import { createProber } from "../probes/prober.ts";
import type { Prober } from "../probes/types.ts";
import type { ContainerRuntime } from "../runtime/types.ts";
import { machineUsage } from "../stats/machine-usage.ts";
import { UsageSampler } from "../stats/usage-sampler.ts";
import { podSchema } from "../status/status-patch.ts";
import { createNodeMounts, type NodeMounts } from "../volumes/node-mounts.ts";
import { createPodTokens } from "../volumes/service-account-token.ts";

/** What a node agent is made of. */
export interface NodeAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly nodeName: string;
  /** What the node says of itself as labels, beside host name, system and architecture. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The address under which the API server and pods reach this machine. */
  readonly address: string;
  /** The addresses of its pods. Default: what the node's object says, or nothing. */
  readonly podCIDR?: string;
  /** Where pods' volumes and logs lie. */
  readonly folder: string;
  readonly runtime: ContainerRuntime;
  readonly images: ImageStore;
  readonly network: PodNetwork;
  readonly dns: ClusterDns;
  /** Default: what the machine has. */
  readonly capacity?: NodeCapacity;
  /** Shown as the kubelet's version. */
  readonly version?: string;
  readonly api: NodeApiOptions;
  /** How pods are evicted when the machine runs out of something. */
  readonly eviction?: EvictionOptions;
  /** Default: really asks. */
  readonly prober?: Prober;
  /** Default: real ones. */
  readonly mounts?: NodeMounts;
}

/** The kubelet of this cluster. */
export interface NodeAgent {
  /** Runs until the signal aborts. Containers go on running. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the node is registered and its pods are looked after. */
  ready(signal?: AbortSignal): Promise<void>;
}

/** Makes the agent of one node. Nothing happens before `run`. */
export function createNodeAgent(options: NodeAgentOptions): NodeAgent {
  const isReady = Promise.withResolvers<void>();
  isReady.promise.catch(() => undefined); // Nobody may be waiting.
  return {
    async run(signal) {
      try {
        await runAgent(options, signal, () => isReady.resolve());
      } catch (error) {
        isReady.reject(error);
        if (!signal.aborted) throw error;
      }
    },
    async ready(signal) {
      await Promise.race([isReady.promise, rejectedOnAbort(signal)]);
    },
  };
}

async function runAgent(options: NodeAgentOptions, signal: AbortSignal, onReady: () => void): Promise<void> {
  const { client, clock, random, runtime, network, nodeName } = options;
  const logger = (options.logger ?? silentLogger).with({ node: nodeName });
  const newInformers = (): ReturnType<typeof createInformers> =>
    createInformers({ client, clock, random, logger });
  const informers = newInformers();
  const pods = informers.of(Pod, { fieldSelector: `spec.nodeName=${nodeName}` });
  const services = informers.of(Service);
  const events = createEventRecorder({
    client,
    clock,
    random,
    logger,
    component: "kubelet",
    instance: nodeName,
    signal,
  });
  const objects = watchObjects({ clock, logger, signal, createInformers: newInformers });
  await clock.track(makePrivate(options.folder));
  await clock.track(mkdir(podsFolder(options.folder), { recursive: true, mode: 0o700 }));
  const capacity = await clock.track(capacityOf(options.capacity ?? {}, options.folder));
  const context: PodContext = {
    clock,
    random,
    logger,
    client,
    events,
    runtime,
    network,
    nodeName,
    api: createPodApi(client),
    images: options.images,
    prober: options.prober ?? createProber({ clock, runtime }),
    mounts: options.mounts ?? createNodeMounts({ folder: options.folder, clock }),
    tokens: createPodTokens({ client, clock }),
    folder: options.folder,
    hostAddress: options.address,
    dns: options.dns,
    allocatable: capacity,
    memoryBytes: quantityToNumber(parseQuantity(capacity["memory"] ?? "0")),
    appArmor: await clock.track(hasAppArmor()),
    hostResolvConf: await clock.track(readFile("/etc/resolv.conf", "utf8").catch(() => "")),
    async services(wait) {
      await services.synced(wait);
      return services.list();
    },
    objectsOf: (namespace, onChange) => objects.of(namespace, onChange),
  };
  await network.start();
  const found = await findPods(context);
  const eviction = new EvictionManager({
    supplies: () => machineSupplies(options.folder),
    ...options.eviction,
    clock,
    logger,
    pods: () => workers.pods,
    useOf: (some, resource) => podsWithUse(context, some, { resource, signal }),
    evict: ({ metadata }, message) => workers.evict(metadata.uid, message),
    isRunning: (pod) => hasRunning(context, pod),
    onPressure: () => presence.hurry(),
    onShortage: (resource) =>
      events.record(
        { apiVersion: "v1", kind: "Node", metadata: { name: nodeName, uid: nodeName } },
        { type: "Warning", reason: "EvictionThresholdMet", message: `Attempting to reclaim ${resource}` },
      ),
  });
  const workers: PodWorkers = new PodWorkers(context, {
    schema: podSchema(),
    found,
    refusalOf: (pod) => eviction.refusalOf(pod),
    allocatable: capacity,
    runtimeManager: (of) => new PodRuntimeManager(context, of),
  });
  const sampler = new UsageSampler({
    clock,
    logger,
    containers: async () => (await runtime.list()).filter(({ state }) => state === "running"),
    usageOf: (id) => runtime.usage(id),
    machine: machineUsage,
  });
  await using api = await serveNodeApi(
    {
      clock,
      logger,
      runtime,
      nodeName,
      usage: () => sampler.usage,
      folder: options.folder,
      networkOf: async (pod) => (await attachPod(context, pod)).namespacePath,
      pods: () => workers.pods,
      health: () => (pods.isSynced ? undefined : "the pods of this node are not known yet"),
    },
    options.api,
  );
  const info = await clock.track(machineFacts(runtime.version, options.version ?? "v1.36.0+kedge"));
  const presence: NodePresence = new NodePresence({
    client,
    clock,
    logger,
    images: () => options.images.list(),
    pressures: () => eviction.pressures,
    facts: {
      name: nodeName,
      labels: options.labels ?? {},
      address: options.address,
      podCIDR: options.podCIDR,
      capacity,
      allocatable: capacity,
      info,
      port: api.port,
    },
  });
  const following = informers.run(signal);
  const working = workers.run(pods, signal);
  const sampling = sampler.run(signal);
  const rotating = rotateLogs({ clock, logger, logs: () => writtenLogs(runtime, options.folder) }, signal);
  const collecting = collectRegularly({ clock, logger, events, images: options.images, nodeName }, signal);
  let guarding = Promise.resolve();
  try {
    await presence.register(signal);
    await pods.synced(signal);
    const known = new Set(pods.list().map(({ metadata }) => metadata.uid as string));
    await removeOrphans(context, found, (uid) => known.has(uid) || workers.has(uid));
    guarding = eviction.run(signal);
    onReady();
    logger.info("The node is ready", { port: api.port });
    await presence.run(signal);
  } finally {
    if (signal.aborted)
      await Promise.all([following, working, sampling, rotating, collecting, guarding, events.flush()]);
  }
}

async function writtenLogs(runtime: ContainerRuntime, folder: string): Promise<readonly WrittenLog[]> {
  const running = (await runtime.list()).filter(({ state }) => state === "running");
  return running.flatMap((info) => {
    const path = logPathOf(folder, info);
    return path === undefined ? [] : [{ path, reopen: () => runtime.reopenLog(info.id) }];
  });
}

/** Volumes are open to every user of a container; to users of this machine they are not. */
async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

async function rejectedOnAbort(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal?.aborted === true) signal.throwIfAborted();
  signal?.addEventListener("abort", () => reject(new Error("nobody waits for the node any more")), {
    once: true,
  });
  return await promise;
}
