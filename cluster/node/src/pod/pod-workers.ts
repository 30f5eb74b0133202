import type { Informer } from "@kedge/runtime";
import type { TypeSchema } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ContainerInfo } from "../runtime/types.ts";
import type { RuntimeManager, RuntimeManagerOptions } from "./runtime-manager.ts";
import { podUidOf } from "./labels.ts";
import { roomBeside } from "./node-room.ts";
import { PodWorker, type WorkerContext } from "./pod-worker.ts";
import type { ApiPod } from "../model/types.ts";

/** What was on the machine when the agent began. */
export interface FoundPods {
  /** Containers by the uid of their pod. */
  readonly containers: ReadonlyMap<string, readonly string[]>;
  /** Uids of pods that have a network. */
  readonly attached: ReadonlySet<string>;
}

/** What all workers of a node are given. */
export interface PodWorkersOptions {
  readonly schema: TypeSchema;
  readonly found: FoundPods;
  readonly runtimeManager: (options: RuntimeManagerOptions) => RuntimeManager;
  /** Why a pod that has just come is not taken; undefined: it is. Default: all are. */
  readonly refusalOf?: (pod: ApiPod) => string | undefined;
  /** What the node has to give. Default: enough for all. */
  readonly allocatable?: Readonly<Record<string, string | undefined>>;
}

interface RunningWorker {
  readonly worker: PodWorker;
  /** Not shared: with thousands of listeners on one signal, adding and removing one is slow. */
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** One worker for each pod of this node, by uid. */
export class PodWorkers {
  readonly #context: WorkerContext;
  readonly #options: PodWorkersOptions;
  readonly #workers = new Map<string, RunningWorker>();
  #signal: AbortSignal | undefined;

  constructor(context: WorkerContext, options: PodWorkersOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** The pods that are looked after now. */
  get pods(): readonly ApiPod[] {
    return Array.from(this.#workers.values(), ({ worker }) => worker.pod);
  }

  /** Whether somebody looks after the pod of this uid. */
  has(uid: string): boolean {
    return this.#workers.has(uid);
  }

  /** Lets a pod fail because the node is short of something. */
  evict(uid: string, message: string): void {
    this.#workers.get(uid)?.worker.evict(message);
  }

  /** Follows the pods of an informer until the signal aborts; resolves when all workers have ended. */
  async run(informer: Pick<Informer<Pod, "Namespaced">, "onEvent">, signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const stopListening = informer.onEvent((event) => {
      if (event.type === "deleted") this.#workers.get(event.object.metadata.uid)?.worker.gone();
      else this.#update(event.object);
      // Between two looks at a name, one pod may have made way for another.
      if (event.type === "updated" && event.previous.metadata.uid !== event.object.metadata.uid) {
        this.#workers.get(event.previous.metadata.uid)?.worker.gone();
      }
    });
    const stopWatching = this.#context.runtime.onExit((info) => this.#ended(info));
    await aborted(signal);
    stopListening();
    stopWatching();
    for (const { stop } of this.#workers.values()) stop.abort(signal.reason);
    await Promise.all(Array.from(this.#workers.values(), ({ done }) => done));
  }

  #update(pod: ApiPod): void {
    const known = this.#workers.get(pod.metadata.uid);
    if (known === undefined) this.#start(pod);
    else known.worker.update(pod);
  }

  #start(pod: ApiPod): void {
    const { uid, namespace, name } = pod.metadata;
    if (this.#signal === undefined || this.#signal.aborted) return;
    const stop = new AbortController();
    const { schema, found, runtimeManager, refusalOf, allocatable } = this.#options;
    // No node has said anything of it yet.
    const isNew = pod.status?.startTime === undefined && pod.metadata.deletionTimestamp === undefined;
    const worker = new PodWorker(this.#context, {
      pod,
      adopted: found.containers.get(uid) ?? [],
      attached: found.attached.has(uid),
      schema,
      rejection: isNew ? refusalOf?.(pod) : undefined,
      room: allocatable === undefined ? undefined : () => roomBeside(this.#others(uid), allocatable),
      runtimeManager,
    });
    const run = async (): Promise<void> => {
      try {
        await worker.run(stop.signal);
      } catch (error) {
        this.#context.logger.error("A pod's worker failed", { pod: `${namespace}/${name}`, error });
      } finally {
        this.#workers.delete(uid);
        // There may be room now for who waits for it.
        for (const { worker: other } of this.#workers.values()) if (other.isDeferred) other.wake();
      }
    };
    this.#workers.set(uid, { worker, stop, done: run() });
  }

  #others(uid: string): readonly PodWorker[] {
    return [...this.#workers].filter(([other]) => other !== uid).map(([, { worker }]) => worker);
  }

  #ended(info: ContainerInfo): void {
    const uid = podUidOf(info);
    if (uid !== undefined) this.#workers.get(uid)?.worker.wake();
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}
