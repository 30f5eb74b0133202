import type { Client } from "@kedge/client";
import { silentLogger, type Clock, type Logger, type ObjectKey, type Random } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { createEventRecorder, createInformers } from "@kedge/runtime";
import { NodePresence } from "../node/node-presence.ts";
import { createPodApi } from "../pod/pod-api.ts";
import { podUidOf } from "../pod/labels.ts";
import { PodWorkers, type FoundPods } from "../pod/pod-workers.ts";
import type { ApiPod } from "../model/types.ts";
import type { Prober } from "../probes/types.ts";
import { podSchema } from "../status/status-patch.ts";
import { simulatedCapacity, simulatedFacts } from "./simulated-facts.ts";
import { SimulatedRuntimeManager } from "./simulated-runtime-manager.ts";
import { createSimulatedNetwork, simulatedImages } from "./simulated-node.ts";
import { createSimulatedRuntime, type SimulatedContainer, type SimulatedLife } from "./simulated-runtime.ts";

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
  /** What becomes of each run of a container. Default: init containers end well at once, others run on. */
  readonly lifeOf?: (pod: ApiPod, container: string) => SimulatedLife;
}

/** Containers and addresses of a simulated node. */
export interface MachineState {
  readonly containers: readonly SimulatedContainer[];
  /** By the uid of their pod. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** A node whose pods are in memory: planned, probed and reported as by the real agent, in the clock's time. */
export interface SimulatedAgent {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** What another agent needs to go on. */
  machine(): MachineState;
  /** Ends what runs in a pod, or in one container of it. Its restart policy says what happens then. */
  crash(pod: ObjectKey, how?: { readonly container?: string; readonly exitCode?: number }): void;
  /** What the probes of a pod find from now on. Default: that all is well. */
  setHealthy(pod: ObjectKey, healthy: boolean): void;
  /** Whether an image can be had from now on. Default: every one. */
  setPullable(image: string, pullable: boolean): void;
}

const address = "192.0.2.1";

/** Makes one. Nothing happens before `run`. */
export function createSimulatedAgent(options: SimulatedAgentOptions): SimulatedAgent {
  const { client, clock, random, nodeName, lifeOf = usualLife } = options;
  const logger = options.logger ?? silentLogger;
  const unhealthy = new Set<string>();
  const missingImages = new Set<string>();
  const network = createSimulatedNetwork(options.machine?.addresses);
  const informers = createInformers({ client, clock, random, logger });
  const pods = informers.of(Pod, { fieldSelector: `spec.nodeName=${nodeName}` });
  const podOf = (labels: Readonly<Record<string, string>>): ApiPod | undefined =>
    pods.get({
      namespace: labels["io.kubernetes.pod.namespace"] ?? "",
      name: labels["io.kubernetes.pod.name"] ?? "",
    });
  const runtime = createSimulatedRuntime({
    clock,
    containers: options.machine?.containers ?? [],
    lifeOf: ({ labels }) => {
      const pod = podOf(labels);
      return pod === undefined ? {} : lifeOf(pod, labels["io.kubernetes.container.name"] ?? "");
    },
  });
  const prober: Prober = {
    async probe(_handler, { instanceId }) {
      const pod = podOf((await runtime.inspect(instanceId))?.labels ?? {});
      const isWell = pod === undefined || !unhealthy.has(textOf(pod.metadata));
      return isWell
        ? { outcome: "success", output: "" }
        : { outcome: "failure", output: "simulated failure" };
    },
  };
  const images: typeof simulatedImages = {
    ...simulatedImages,
    resolve: (name, signal) =>
      missingImages.has(name)
        ? Promise.reject(new Error(`simulated: the image ${name} cannot be had`))
        : simulatedImages.resolve(name, signal),
  };
  return {
    async run(signal) {
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
      const capacity = options.capacity ?? simulatedCapacity;
      const facts = simulatedFacts({ name: nodeName, address, capacity, version: runtime.version });
      const presence = new NodePresence({ client, clock, logger, facts });
      const parts = [informers.run(signal), workers.run(pods, signal)];
      await presence.register(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      await presence.run(signal);
      await Promise.all([...parts, events.flush()]);
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

function usualLife({ spec }: ApiPod, container: string): SimulatedLife {
  const init = spec?.initContainers?.find(({ name }) => name === container);
  return init === undefined || init.restartPolicy === "Always" ? {} : { endsAfterMs: 0 };
}

function textOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
