import { dirname, join } from "node:path";
import { inBackground } from "@kedge/machinery";
import { diskUse } from "../volumes/disk-use.ts";
import type { PodContext } from "./context.ts";
import { diskVolumes, limitsStorage, storageExceeded, type StorageUse } from "./ephemeral-storage.ts";
import { podFolder } from "./pod-folder.ts";
import type { ApiPod, Instance } from "../model/types.ts";

/** As often as the kubelet looks. */
const everyMs = 10_000;

/** Measures what a pod with limits has on disk, now and then, and remembers when it was too much. */
export class PodStorage {
  readonly #context: PodContext;
  readonly #options: { readonly onChange: () => void; readonly signal: AbortSignal };
  #nextAt = 0;
  #isMeasuring = false;
  #exceeded: string | undefined;

  constructor(context: PodContext, options: { readonly onChange: () => void; readonly signal: AbortSignal }) {
    this.#context = context;
    this.#options = options;
  }

  /** Which limit was passed, in the kubelet's words. */
  get exceeded(): string | undefined {
    return this.#exceeded;
  }

  /** Begins to measure when it is time, and gives when that is next; undefined: not before something else happens. */
  follow(pod: ApiPod, instances: readonly Instance[]): number | undefined {
    if (!limitsStorage(pod) || this.#exceeded !== undefined || instances.length === 0) return undefined;
    const now = this.#context.clock.now();
    if (now < this.#nextAt) return this.#nextAt;
    this.#nextAt = now + everyMs;
    // A large volume may take longer than that.
    if (!this.#isMeasuring) {
      this.#isMeasuring = true;
      inBackground(this.#measure(pod, instances), (error) => this.#cannotMeasure(error));
    }
    return this.#nextAt;
  }

  async #measure(pod: ApiPod, instances: readonly Instance[]): Promise<void> {
    try {
      this.#exceeded = storageExceeded(pod, await this.#use(pod, instances));
    } catch (error) {
      if (this.#options.signal.aborted) return;
      this.#cannotMeasure(error);
    }
    this.#isMeasuring = false;
    if (this.#exceeded !== undefined) this.#options.onChange();
  }

  #cannotMeasure(error: unknown): void {
    this.#context.logger.warn("What a pod has on disk could not be measured", { error });
  }

  async #use(pod: ApiPod, instances: readonly Instance[]): Promise<StorageUse> {
    const { clock, runtime } = this.#context;
    const folder = podFolder(this.#context.folder, pod.metadata.uid);
    const volumes = diskVolumes(pod).map(({ name }) => ({ name, path: join(folder.volumes, name) }));
    const layers = instances.flatMap(({ id, name }) => {
      const path = runtime.writableFolder(id);
      return path === undefined ? [] : [{ name, path }];
    });
    const logs = [...new Set(instances.map(({ name }) => name))].map((name) => ({
      name,
      path: dirname(folder.logOf(name, 0)),
    }));
    const all = [...volumes, ...layers, ...logs];
    const sizes = await diskUse(
      all.map(({ path }) => path),
      { clock, signal: this.#options.signal },
    );
    const ofVolumes = new Map<string, number>();
    const ofContainers = new Map<string, number>();
    for (const [index, { name }] of all.entries()) {
      const sums = index < volumes.length ? ofVolumes : ofContainers;
      sums.set(name, (sums.get(name) ?? 0) + (sizes[index] ?? 0));
    }
    return { volumes: ofVolumes, containers: ofContainers };
  }
}
