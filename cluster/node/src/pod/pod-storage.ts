import { inBackground } from "@kedge/machinery";
import type { PodContext } from "./context.ts";
import { limitsStorage, storageExceeded } from "./ephemeral-storage.ts";
import { storageUse } from "./storage-use.ts";
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
      this.#exceeded = storageExceeded(
        pod,
        await storageUse(this.#context, { pod, instances, signal: this.#options.signal }),
      );
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
}
