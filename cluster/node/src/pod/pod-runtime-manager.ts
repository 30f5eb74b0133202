import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { removeLog } from "../logs/log-files.ts";
import type { PodObjects } from "../volumes/types.ts";
import type { PodContext } from "./context.ts";
import type { RuntimeAction, RuntimeManager, RuntimeManagerOptions } from "./runtime-manager.ts";
import { instanceOf } from "./labels.ts";
import { podEvents, type PodEvents } from "./pod-events.ts";
import { podFolder, type PodFolder } from "./pod-folder.ts";
import { PodSandbox } from "./pod-sandbox.ts";
import { PodProbes } from "./pod-probes.ts";
import { PodStorage } from "./pod-storage.ts";
import { PodTasks } from "./pod-tasks.ts";
import { forgetPod } from "./prepare-pod.ts";
import { containerOf } from "../model/spec-of.ts";
import { resizeContainers, resizeMessage } from "./resize-containers.ts";
import { startContainer } from "./start-container.ts";
import { startFailure } from "./start-failure.ts";
import { stopContainer } from "./stop-container.ts";
import { terminationMessage } from "./termination-message.ts";
import type {
  ContainerChange,
  CrashBackoff,
  Instance,
  ObservedPod,
  ResizeState,
  StartFailure,
  Waiting,
} from "../model/types.ts";

/** The RuntimeManager of a real machine: files, mounts, network, and a container runtime. */
export class PodRuntimeManager implements RuntimeManager {
  readonly #context: PodContext;
  readonly #options: RuntimeManagerOptions;
  readonly #events: PodEvents;
  readonly #objects: PodObjects & Disposable;
  readonly #folder: PodFolder;
  readonly #sandbox: PodSandbox;
  readonly #probes: PodProbes;
  readonly #tasks: PodTasks;
  readonly #storage: PodStorage;
  readonly #ids: Set<string>;
  readonly #stop = new AbortController();
  readonly #failures = new Map<string, StartFailure>();
  readonly #backoffs = new Map<string, CrashBackoff>();
  readonly #messages = new Map<string, string | undefined>();
  readonly #lastAttempts = new Map<string, number>();
  #resizeErrors: ReadonlyMap<string, string> = new Map();
  #waiting: ReadonlyMap<string, Waiting> = new Map();

  constructor(context: PodContext, options: RuntimeManagerOptions) {
    const { pod, onChange } = options;
    const { metadata, spec } = pod();
    this.#context = context;
    this.#options = options;
    this.#events = podEvents(context.events, pod);
    this.#folder = podFolder(context.folder, metadata.uid);
    this.#tasks = new PodTasks(onChange);
    this.#storage = new PodStorage(context, { onChange, signal: this.#stop.signal });
    this.#ids = new Set(options.adopted);
    this.#objects = context.objectsOf(metadata.namespace, () => this.#objectChanged());
    this.#probes = new PodProbes(context, { events: this.#events, onChange });
    this.#sandbox = new PodSandbox(context, {
      pod,
      events: this.#events,
      objects: this.#objects,
      isLost: options.adopted.length > 0 && !options.attached && spec?.hostNetwork !== true,
      onChange,
      signal: this.#stop.signal,
    });
  }

  get address(): string | undefined {
    return this.#sandbox.prepared?.podAddress;
  }

  get storageExceeded(): string | undefined {
    return this.#storage.exceeded;
  }

  async begin(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#stop.abort(), { once: true });
    await this.#context.clock.track(this.#readAttempts());
  }

  letGo(): void {
    this.#stop.abort();
    this.#probes.stop();
    this.#objects[Symbol.dispose]();
  }

  async look(): Promise<Omit<ObservedPod, "pod" | "now" | "ending">> {
    const instances = await this.#instances();
    const pod = this.#options.pod();
    this.#probes.follow(pod, instances, this.address ?? pod.status?.podIP);
    return {
      instances,
      lookAt: this.#storage.follow(pod, instances),
      sandbox: this.#sandbox.state,
      busy: this.#tasks.busy(),
      failures: this.#failures,
      backoffs: this.#backoffs,
      lastAttempts: this.#lastAttempts,
      health: this.#probes.health,
      refresh: this.#sandbox.isStale,
      resizeErrors: this.#resizeErrors,
    };
  }

  tellEvicted(message: string): void {
    this.#events.warning("Evicted", message);
  }

  tellResize(state: ResizeState): void {
    const pod = this.#options.pod();
    if (state.type === "pending") {
      const { reason, message } = state;
      this.#events.warning(`Resize${reason}`, resizeMessage(`Pod resize ${reason}`, pod, message));
    } else if (state.error === undefined) {
      this.#events.normal("ResizeStarted", resizeMessage("Pod resize started", pod));
    }
  }

  tellWaiting(waiting: ReadonlyMap<string, Waiting>): void {
    for (const [name, { reason }] of waiting) {
      if (this.#waiting.get(name)?.reason === reason) continue;
      if (reason === "CrashLoopBackOff") {
        const { metadata } = this.#options.pod();
        const pod = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
        this.#events.warning("BackOff", `Back-off restarting failed container ${name} in pod ${pod}`, name);
      } else if (reason === "ImagePullBackOff") {
        const { image } = containerOf(this.#options.pod(), name) ?? {};
        this.#events.normal("BackOff", `Back-off pulling image "${image}"`, name);
      }
    }
    this.#waiting = waiting;
  }

  async act(action: RuntimeAction): Promise<void> {
    switch (action.type) {
      case "prepare":
        this.#sandbox.prepare();
        return;
      case "refresh":
        this.#sandbox.refresh();
        return;
      case "clear":
        this.#sandbox.clear();
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
        await this.#remove(action.instance);
        return;
      case "resize":
        await this.#resize(action.changes);
    }
  }

  async forget(): Promise<void> {
    await forgetPod(this.#context, this.#options.pod().metadata.uid);
  }

  async #readAttempts(): Promise<void> {
    const { logs } = this.#folder;
    for (const name of await readdir(logs).catch(() => [])) {
      const files = await readdir(join(logs, name)).catch(() => []);
      const attempts = files.map((file) => Number.parseInt(file, 10)).filter((number) => number >= 0);
      const last = attempts.reduce((one, other) => Math.max(one, other), -1);
      if (last >= 0) this.#lastAttempts.set(name, last);
    }
  }

  async #instances(): Promise<readonly Instance[]> {
    const instances: Instance[] = [];
    for (const id of this.#ids) {
      const info = await this.#context.runtime.inspect(id);
      if (info === undefined) {
        // Removed by somebody else, or not yet made: whoever makes it has a task.
        if (this.#tasks.busy().size === 0) this.#ids.delete(id);
        continue;
      }
      if (info.state === "exited" && !this.#messages.has(id)) {
        const ended = instanceOf(info, undefined);
        const container = containerOf(this.#options.pod(), ended.name);
        const message = terminationMessage(this.#folder, container, ended);
        this.#messages.set(id, await this.#context.clock.track(message));
      }
      instances.push(instanceOf(info, this.#messages.get(id)));
    }
    return instances;
  }

  /** A missing object may be there now: what failed for want of it is tried again at once. */
  #objectChanged(): void {
    this.#sandbox.markStale();
    for (const [name, failure] of this.#failures) {
      if (failure.reason === "CreateContainerConfigError") {
        this.#failures.set(name, { ...failure, until: this.#context.clock.now() });
      }
    }
    this.#options.onChange();
  }

  #start(action: Extract<RuntimeAction, { readonly type: "start" }>): void {
    const { container, attempt, backoff } = action;
    const sandbox = this.#sandbox.prepared;
    if (sandbox === undefined) return;
    if (backoff !== undefined) this.#backoffs.set(container.name, backoff);
    const cancel = new AbortController();
    const signal = AbortSignal.any([cancel.signal, this.#stop.signal]);
    const onCreated = (id: string): void => {
      this.#ids.add(id);
      this.#lastAttempts.set(container.name, attempt);
    };
    const start = async (): Promise<void> => {
      const pod = this.#options.pod();
      const run = { pod, container, attempt, sandbox, objects: this.#objects, onCreated };
      await startContainer(this.#context, this.#events, run, signal);
      this.#failures.delete(container.name);
    };
    this.#tasks.follow(container.name, { type: "starting", cancel }, start(), (error) => {
      if (!signal.aborted) this.#startFailed(container.name, error);
    });
  }

  #startFailed(name: string, error: unknown): void {
    const failure = startFailure(error, this.#failures.get(name), this.#context.clock.now());
    this.#failures.set(name, failure);
    const text = failure.reason === "ErrImagePull" ? failure.reason : failure.message;
    this.#events.warning("Failed", `Error: ${text}`, name);
  }

  #stopContainer(action: Extract<RuntimeAction, { readonly type: "stop" }>): void {
    const { instance, graceSeconds, message } = action;
    const current = this.#tasks.get(instance.name);
    if (current?.type === "stopping") current.stopping.hurry(graceSeconds);
    if (current !== undefined) return;
    this.#probes.quiet(instance.id);
    const pod = this.#options.pod();
    const podAddress = this.address ?? pod.status?.podIP ?? "";
    const { signal } = this.#stop;
    const request = { pod, instance, graceSeconds, message, podAddress, signal };
    const stopping = stopContainer(this.#context, this.#events, request);
    this.#tasks.follow(instance.name, { type: "stopping", stopping }, stopping.done, (error) => {
      if (signal.aborted) return;
      this.#context.logger.warn("A container could not be stopped", { container: instance.name, error });
    });
  }

  async #resize(changes: readonly ContainerChange[]): Promise<void> {
    const before = this.#resizeErrors;
    this.#resizeErrors = await resizeContainers(this.#context, this.#events, {
      pod: this.#options.pod(),
      changes,
    });
    // The same failure again is nothing new.
    const isNew = [...this.#resizeErrors].some(([name, error]) => before.get(name) !== error);
    if (isNew || this.#resizeErrors.size < changes.length) this.#options.onChange();
  }

  async #remove({ id, name, attempt }: Instance): Promise<void> {
    await this.#context.runtime.remove(id);
    await this.#context.images.release(id);
    await this.#context.clock.track(rm(this.#folder.imageVolumesOf(id), { recursive: true, force: true }));
    // Nobody can ask for it any more.
    await this.#context.clock.track(removeLog(this.#folder.logOf(name, attempt)));
    await this.#context.clock.track(rm(this.#folder.messageOf(name, attempt), { force: true }));
    this.#ids.delete(id);
    this.#messages.delete(id);
    this.#options.onChange();
  }
}
