import type { Client } from "@kedge/client";
import { inBackground, messageOf } from "@kedge/machinery";
import type { PodNetwork } from "@kedge/network";
import { ConfigError } from "../containers/config-error.ts";
import type { PodContext } from "../pod/context.ts";
import type { RuntimeAction, RuntimeManager, RuntimeManagerOptions } from "../pod/runtime-manager.ts";
import { instanceOf, labelsOf } from "../pod/labels.ts";
import { podEvents, type PodEvents } from "../pod/pod-events.ts";
import { PodProbes } from "../pod/pod-probes.ts";
import { PodTasks } from "../pod/pod-tasks.ts";
import { StartError } from "../pod/start-error.ts";
import { resizeContainers } from "../pod/resize-containers.ts";
import { startFailure } from "../pod/start-failure.ts";
import { stopContainer } from "../pod/stop-container.ts";
import type {
  ContainerDefinition,
  CrashBackoff,
  SandboxState,
  Instance,
  ObservedPod,
  StartFailure,
} from "../model/types.ts";
import { simulatedHook } from "./simulated-hooks.ts";
import { checkedBehaviour, withReadiness } from "./simulated-life.ts";
import { simulatedSpec } from "./simulated-spec.ts";
import { checkEnvironment, checkVolumes, type PodNeeds } from "./pod-needs.ts";

/** What a simulated runtime manager works with: a node without files. */
export type SimulatedContext = Pick<
  PodContext,
  "clock" | "random" | "logger" | "runtime" | "events" | "prober" | "images" | "hostAddress"
> & { readonly client: Client; readonly network: PodNetwork };

/** A pod waits this long before it looks again for what its volumes need. */
const retryMs = 1_000;

/**
 * The RuntimeManager of a node without a machine: containers, network and volumes are in memory. What a pod needs must be
 * there all the same: config maps, secrets, bound claims, images.
 */
export class SimulatedRuntimeManager implements RuntimeManager {
  readonly storageExceeded = undefined;
  readonly #context: SimulatedContext;
  readonly #options: RuntimeManagerOptions;
  readonly #events: PodEvents;
  readonly #probes: PodProbes;
  readonly #tasks: PodTasks;
  readonly #ids: Set<string>;
  readonly #failures = new Map<string, StartFailure>();
  readonly #backoffs = new Map<string, CrashBackoff>();
  readonly #lastAttempts = new Map<string, number>();
  readonly #stop = new AbortController();
  #sandbox: SandboxState = { state: "unfinished" };
  #address: string | undefined;

  constructor(context: SimulatedContext, options: RuntimeManagerOptions) {
    const { pod, onChange } = options;
    this.#context = context;
    this.#options = options;
    this.#ids = new Set(options.adopted);
    this.#events = podEvents(context.events, pod);
    this.#probes = new PodProbes(context, { events: this.#events, onChange });
    this.#tasks = new PodTasks(onChange);
  }

  get address(): string | undefined {
    return this.#address;
  }

  begin(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#stop.abort(), { once: true });
    return Promise.resolve();
  }

  letGo(): void {
    this.#stop.abort();
    this.#probes.stop();
  }

  async look(): Promise<Omit<ObservedPod, "pod" | "now" | "ending">> {
    const pod = this.#options.pod();
    const instances: Instance[] = [];
    for (const id of this.#ids) {
      const info = await this.#context.runtime.inspect(id);
      if (info !== undefined) instances.push(instanceOf(info, undefined));
    }
    this.#probes.follow(withReadiness(pod), instances, this.#address ?? pod.status?.podIP);
    return {
      instances,
      lookAt: undefined,
      sandbox: this.#sandbox,
      busy: this.#tasks.busy(),
      failures: this.#failures,
      backoffs: this.#backoffs,
      lastAttempts: this.#lastAttempts,
      health: this.#probes.health,
      refresh: false,
    };
  }

  async act(action: RuntimeAction): Promise<void> {
    switch (action.type) {
      case "prepare":
        this.#sandbox = { state: "preparing" };
        this.#inBackground(this.#prepare());
        return;
      case "clear":
        await this.#context.network.detach(this.#options.pod().metadata.uid);
        this.#sandbox = { state: "absent" };
        this.#options.onChange();
        return;
      case "start":
        this.#start(action);
        return;
      case "cancel-start": {
        const task = this.#tasks.get(action.name);
        if (task?.type === "starting") task.cancel.abort();
        return;
      }
      case "stop":
        this.#stopContainer(action);
        return;
      case "remove":
        await this.#context.runtime.remove(action.instance.id);
        this.#ids.delete(action.instance.id);
        this.#options.onChange();
        return;
      case "resize": {
        const { runtime } = this.#context;
        const pod = this.#options.pod();
        await resizeContainers({ runtime, memoryBytes: 0 }, this.#events, { pod, changes: action.changes });
        this.#options.onChange();
        return;
      }
      case "refresh":
    }
  }

  forget(): Promise<void> {
    return Promise.resolve();
  }

  tellEvicted(): void {
    // Nothing is ever evicted: nothing is written.
  }

  tellWaiting(): void {
    // What a pod waits for is in its status.
  }

  #needs(signal: AbortSignal): PodNeeds {
    return { client: this.#context.client, pod: this.#options.pod(), signal };
  }

  async #prepare(): Promise<void> {
    const { network, clock, hostAddress } = this.#context;
    const { signal } = this.#stop;
    try {
      const { metadata, spec } = this.#options.pod();
      const isOnHost = spec?.hostNetwork === true;
      this.#address = isOnHost ? hostAddress : (await network.attach(metadata.uid)).address;
      await checkVolumes(this.#needs(signal));
      if (this.#sandbox.state === "preparing") this.#sandbox = { state: "ready" };
    } catch (error) {
      // The pod may have been cleared meanwhile.
      if (signal.aborted || this.#sandbox.state !== "preparing") return;
      this.#sandbox = { state: "unfinished", retryAt: clock.now() + retryMs };
      this.#events.warning("FailedMount", messageOf(error));
    }
    this.#options.onChange();
  }

  #start({ container, attempt, backoff }: Extract<RuntimeAction, { readonly type: "start" }>): void {
    const { clock, runtime, random, images, hostAddress } = this.#context;
    if (backoff !== undefined) this.#backoffs.set(container.name, backoff);
    const cancel = new AbortController();
    const signal = AbortSignal.any([cancel.signal, this.#stop.signal]);
    const start = async (): Promise<void> => {
      const { image: name = "", resources } = container;
      const { failsPull } = await asConfig(async () => checkedBehaviour(this.#options.pod(), container));
      if (failsPull === true) throw new StartError("ErrImagePull", `simulated: ${name} cannot be pulled`);
      const image = await images.resolve(name, { signal }).catch((error: unknown): never => {
        throw new StartError("ErrImagePull", messageOf(error));
      });
      const addresses = { podAddress: this.#address ?? "", hostAddress };
      await asConfig(() => checkEnvironment(this.#needs(signal), container, addresses));
      signal.throwIfAborted();
      const id = random.uuid().replaceAll("-", "");
      const run = { name: container.name, attempt, image: name, imageId: image.id, resources };
      this.#ids.add(id);
      this.#lastAttempts.set(container.name, attempt);
      await runtime.create(simulatedSpec(id, image, labelsOf(this.#options.pod(), run)));
      await runtime.start(id);
      this.#failures.delete(container.name);
      this.#events.normal("Started", "Container started (simulated)", container.name);
      await this.#afterStart(container, id, signal);
    };
    this.#tasks.follow(container.name, { type: "starting", cancel }, start(), (error) => {
      if (signal.aborted) return;
      const failure = startFailure(error, this.#failures.get(container.name), clock.now());
      this.#failures.set(container.name, failure);
      this.#events.warning("Failed", `Error: ${failure.message}`, container.name);
    });
  }

  async #afterStart(container: ContainerDefinition, id: string, signal: AbortSignal): Promise<void> {
    const { postStart } = container.lifecycle ?? {};
    if (postStart === undefined) return;
    const target = { instanceId: id, container, podAddress: this.#address ?? "", signal };
    await simulatedHook(this.#context, postStart, target);
  }

  #stopContainer(action: Extract<RuntimeAction, { readonly type: "stop" }>): void {
    const { instance, graceSeconds, message } = action;
    const current = this.#tasks.get(instance.name);
    if (current?.type === "stopping") current.stopping.hurry(graceSeconds);
    if (current !== undefined) return;
    this.#probes.quiet(instance.id);
    const pod = this.#options.pod();
    const { signal } = this.#stop;
    const request = { pod, instance, graceSeconds, message, podAddress: this.#address ?? "", signal };
    const stopping = stopContainer({ ...this.#context, runHook: simulatedHook }, this.#events, request);
    this.#tasks.follow(instance.name, { type: "stopping", stopping }, stopping.done, this.#report);
  }

  #inBackground(work: Promise<void>): void {
    inBackground(work, this.#report);
  }

  readonly #report = (error: unknown): void => {
    if (!this.#stop.signal.aborted) this.#context.logger.error("A simulated pod failed", { error });
  };
}

/** What the pod asks for and cannot have is in its status with its own reason. */
async function asConfig<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw new StartError(error.reason, error.message);
    throw error;
  }
}
