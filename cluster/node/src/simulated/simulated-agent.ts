import type { Client } from "@kedge/client";
import { silentLogger, type Clock, type Logger, type ObjectKey, type Random } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { createEventRecorder, createInformers } from "@kedge/runtime";
import { serveNodeApi, type NodeApi, type NodeApiOptions } from "../api/node-api.ts";
import { NodePresence } from "../node/node-presence.ts";
import { createPodApi } from "../pod/pod-api.ts";
import { podUidOf } from "../pod/labels.ts";
import { PodWorkers, type FoundPods } from "../pod/pod-workers.ts";
import type { ApiPod } from "../model/types.ts";
import { podSchema } from "../status/status-patch.ts";
import type { NodePods } from "./pods-by-node.ts";
import { simulatedCapacity, simulatedFacts } from "./simulated-facts.ts";
import { lifeFromPod } from "./simulated-life.ts";
import { SimulatedRuntimeManager } from "./simulated-runtime-manager.ts";
import { createSimulatedNetwork, simulatedImages } from "./simulated-node.ts";
import { createSimulatedProber } from "./simulated-prober.ts";
import { createSimulatedRuntime, type SimulatedContainer, type SimulatedLife } from "./simulated-runtime.ts";
import { withPrograms, type SimulatedPrograms, type SimulatedRun } from "./simulated-programs.ts";
import { simulatedUsage } from "./simulated-usage.ts";

/** What a simulated node is made of. */
export interface SimulatedAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly nodeName: string;
  /** What the node has already: of an earlier agent, or of another run. Default: nothing. */
  readonly machine?: MachineState;
  /** Default: more than tests ask for. */
  readonly capacity?: Readonly<Record<string, string>>;
  /** Where its pods get their addresses from. Default: 10.244.0.0/16. */
  readonly podCIDR?: string;
  /** Its pods, from an informer that others share. Default: one of its own. */
  readonly pods?: NodePods;
  /** Where it answers the API server. Default: nowhere. */
  readonly api?: NodeApiOptions;
  /** What becomes of each run of a container. Default: what the pod's annotations say (`behaviour.ts`). */
  readonly lifeOf?: (pod: ApiPod, container: string) => SimulatedLife;
  /** Models of what runs in containers. Default: nothing does. */
  readonly programs?: SimulatedPrograms | undefined;
}

/** Containers and addresses of a simulated node. */
export interface MachineState {
  readonly containers: readonly SimulatedContainer[];
  /** By the uid of their pod. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** A node whose pods are in memory: planned, probed and reported as by the real agent, in the clock's time. */
export interface SimulatedAgent {
  /** Runs until the signal aborts. `onReady` is told when the node is registered. */
  run(signal: AbortSignal, onReady?: () => void): Promise<void>;
  /** What another agent needs to go on. */
  machine(): MachineState;
  /** Ends what runs in a pod, or in one container of it. Its restart policy says what happens then. */
  crash(pod: ObjectKey, how?: { readonly container?: string; readonly exitCode?: number }): void;
  /** What the probes of a pod find from now on. Default: that all is well. */
  setHealthy(pod: ObjectKey, healthy: boolean): void;
  /** Whether an image can be had from now on. Default: every one. */
  setPullable(image: string, pullable: boolean): void;
}

/** Where nobody is: of a node that answers nobody. */
const nowhere = "192.0.2.1";

/** Makes one. Nothing happens before `run`. */
export function createSimulatedAgent(options: SimulatedAgentOptions): SimulatedAgent {
  const { client, clock, random, nodeName, podCIDR, lifeOf = lifeFromPod } = options;
  const address = options.api?.host ?? nowhere;
  const logger = options.logger ?? silentLogger;
  const unhealthy = new Set<string>();
  const missingImages = new Set<string>();
  const network = createSimulatedNetwork({ addresses: options.machine?.addresses, podCIDR });
  const informers = createInformers({ client, clock, random, logger });
  const pods: NodePods = options.pods ?? informers.of(Pod, { fieldSelector: `spec.nodeName=${nodeName}` });
  const podOf = (labels: Readonly<Record<string, string>>): ApiPod | undefined =>
    pods.get({
      namespace: labels["io.kubernetes.pod.namespace"] ?? "",
      name: labels["io.kubernetes.pod.name"] ?? "",
    });
  const plainRuntime = createSimulatedRuntime({
    clock,
    containers: options.machine?.containers ?? [],
    lifeOf: ({ labels }) => {
      const pod = podOf(labels);
      return pod === undefined ? {} : lifeOf(pod, labels["io.kubernetes.container.name"] ?? "");
    },
  });
  const { programs } = options;
  const runOf = (labels: Readonly<Record<string, string>>, id: string): SimulatedRun | undefined => {
    const pod = podOf(labels);
    const runAddress = network.addresses().get(labels["io.kubernetes.pod.uid"] ?? "");
    const container = labels["io.kubernetes.container.name"] ?? "";
    return pod === undefined || runAddress === undefined
      ? undefined
      : { id, pod, container, address: runAddress };
  };
  const runtime = programs === undefined ? plainRuntime : withPrograms(plainRuntime, programs, runOf);
  const prober = createSimulatedProber({
    clock,
    runtime,
    podOf,
    programs,
    isUnhealthy: ({ metadata }) => unhealthy.has(textOf(metadata)),
  });
  const images: typeof simulatedImages = {
    ...simulatedImages,
    resolve: (name, signal) =>
      missingImages.has(name)
        ? Promise.reject(new Error(`simulated: the image ${name} cannot be had`))
        : simulatedImages.resolve(name, signal),
  };
  const serve = async (workers: PodWorkers): Promise<NodeApi | undefined> => {
    if (options.api === undefined) return undefined;
    const context = {
      clock,
      logger,
      runtime,
      nodeName,
      folder: "",
      isSimulated: true,
      usage: () => simulatedUsage(runtime.containers(), clock),
      networkOf: () => Promise.resolve(undefined),
      pods: () => workers.pods,
      health: () => (pods.isSynced ? undefined : "the pods of this node are not known yet"),
    };
    return await serveNodeApi(context, options.api);
  };
  return {
    async run(signal, onReady) {
      const events = createEventRecorder({
        client,
        clock,
        random,
        logger,
        component: "kubelet",
        instance: nodeName,
        signal,
      });
      const context = { clock, random, logger, client, events, runtime, images, prober, network };
      const node = { api: createPodApi(client), hostAddress: address, appArmor: false };
      const workers = new PodWorkers(
        { ...context, ...node },
        {
          schema: podSchema(),
          found: foundOn(options.machine),
          runtimeManager: (managerOptions) =>
            new SimulatedRuntimeManager({ ...context, hostAddress: node.hostAddress }, managerOptions),
        },
      );
      await using api = await serve(workers);
      const capacity = options.capacity ?? simulatedCapacity;
      const facts = simulatedFacts({
        name: nodeName,
        address,
        capacity,
        version: runtime.version,
        podCIDR,
        port: api?.port,
      });
      const presence = new NodePresence({ client, clock, logger, facts });
      const parts = [informers.run(signal), workers.run(pods, signal)];
      await presence.register(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!signal.aborted) onReady?.();
      await presence.run(signal);
      await Promise.all([...parts, events.flush()]);
      await runtime.close();
    },
    machine: () => ({ containers: runtime.containers(), addresses: network.addresses() }),
    crash(pod, { container, exitCode = 1 } = {}) {
      runtime.end(
        (labels) =>
          labels["io.kubernetes.pod.namespace"] === pod.namespace &&
          labels["io.kubernetes.pod.name"] === pod.name &&
          (container === undefined || labels["io.kubernetes.container.name"] === container),
        exitCode,
      );
    },
    setHealthy(pod, healthy) {
      if (healthy) unhealthy.delete(textOf(pod));
      else unhealthy.add(textOf(pod));
    },
    setPullable(image, pullable) {
      if (pullable) missingImages.delete(image);
      else missingImages.add(image);
    },
  };
}

function foundOn({ containers = [], addresses = new Map() }: Partial<MachineState> = {}): FoundPods {
  const byPod = Map.groupBy(containers, ({ info }) => podUidOf(info) ?? "");
  const ids = Array.from(byPod, ([uid, some]) => [uid, some.map(({ info }) => info.id)] as const);
  return { containers: new Map(ids), attached: new Set(addresses.keys()) };
}

function textOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
