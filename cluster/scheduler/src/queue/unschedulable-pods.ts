import type { FilterName } from "../filters/types.ts";
import type { QueuedPod } from "./queued-pod.ts";

/** The pods that were refused, to be found by the filters that refused them. */
export class UnschedulablePods {
  /** In the order in which they were refused. */
  readonly #pods = new Set<QueuedPod>();
  /** Under undefined: those that no filter refused. */
  readonly #byFilter = new Map<FilterName | undefined, Set<QueuedPod>>();

  get size(): number {
    return this.#pods.size;
  }

  /** Since when the oldest waits. */
  get oldest(): number | undefined {
    const [first] = this.#pods;
    return first?.since;
  }

  has(queued: QueuedPod): boolean {
    return this.#pods.has(queued);
  }

  add(queued: QueuedPod): void {
    this.#pods.add(queued);
    for (const name of namesOf(queued)) {
      const group = this.#byFilter.get(name) ?? new Set();
      group.add(queued);
      this.#byFilter.set(name, group);
    }
  }

  delete(queued: QueuedPod): void {
    if (!this.#pods.delete(queued)) return;
    for (const name of namesOf(queued)) this.#byFilter.get(name)?.delete(queued);
  }

  /** A list of its own: they may be taken out meanwhile. */
  refusedBy(name: FilterName | undefined): readonly QueuedPod[] {
    const group = this.#byFilter.get(name);
    return group === undefined || group.size === 0 ? none : [...group];
  }

  /** Those that have waited since a moment or longer. */
  waitingSince(moment: number): readonly QueuedPod[] {
    const found: QueuedPod[] = [];
    for (const queued of this.#pods) {
      if (queued.since > moment) break;
      found.push(queued);
    }
    return found;
  }
}

const none: readonly QueuedPod[] = [];

function namesOf({ rejectors }: QueuedPod): Iterable<FilterName | undefined> {
  return rejectors.size === 0 ? [undefined] : rejectors;
}
