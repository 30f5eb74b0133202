import type { Clock, Logger } from "@kedge/machinery";
import type { ApiPod } from "../model/types.ts";
import { isFinal } from "../status/phase.ts";
import { refusalUnder } from "./admission.ts";
import { evictionMessage } from "./eviction-message.ts";
import { pressuresAt, seenNow, type LastSeen } from "./pressure.ts";
import { isCritical, rankPods, type PodWithUse } from "./rank-pods.ts";
import {
  checkThresholds,
  resourceOf,
  shortagesIn,
  usualThresholds,
  type StarvedResource,
} from "./thresholds.ts";
import type { EvictionOptions, PressureCondition, Supplies } from "./types.ts";

/** What the manager works with. */
export interface EvictionManagerOptions extends EvictionOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly supplies: () => Promise<Supplies>;
  /** Those that the node looks after. */
  readonly pods: () => readonly ApiPod[];
  /** What these pods use of it. */
  readonly useOf: (pods: readonly ApiPod[], resource: StarvedResource) => Promise<readonly PodWithUse[]>;
  /** Lets a pod fail for this reason, at once. */
  readonly evict: (pod: ApiPod, message: string) => void;
  /** Whether containers of the pod still run. */
  readonly isRunning: (pod: ApiPod) => Promise<boolean>;
  /** The conditions have changed. */
  readonly onPressure: () => void;
  /** Says that something is being won back. */
  readonly onShortage: (resource: StarvedResource) => void;
}

/** The kubelet's numbers. */
const usualEveryMs = 10_000;
const usualTransitionMs = 300_000;
const longestCleanUpMs = 30_000;

/**
 * Looks at what the machine has left, says what it is short of, and lets one pod after the other fail until there is
 * enough again.
 */
export class EvictionManager {
  readonly #options: EvictionManagerOptions;
  #seen: LastSeen = new Map();
  #pressures: ReadonlySet<PressureCondition> = new Set();

  constructor(options: EvictionManagerOptions) {
    checkThresholds(options.thresholds ?? {});
    this.#options = options;
  }

  /** The conditions that hold now. */
  get pressures(): ReadonlySet<PressureCondition> {
    return this.#pressures;
  }

  /** Why a pod that has just come is not taken; undefined: it is. */
  refusalOf(pod: ApiPod): string | undefined {
    return refusalUnder(this.#pressures, pod);
  }

  /** Looks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, everyMs = usualEveryMs } = this.#options;
    while (!signal.aborted) {
      const evicted = await this.look().catch((error: unknown) => {
        logger.warn("What the node has left could not be read", { error });
        return undefined;
      });
      // What it gives back is seen by the next look: nobody else has to go before.
      if (evicted === undefined) await clock.sleep(everyMs, signal).catch(() => undefined);
      else await this.#untilStopped(evicted, signal);
    }
  }

  /** Looks once; gives the pod that has to go, if one has. */
  async look(): Promise<ApiPod | undefined> {
    const { clock, logger, thresholds = usualThresholds, transitionMs = usualTransitionMs } = this.#options;
    const now = clock.now();
    const shortages = shortagesIn(await clock.track(this.#options.supplies()), thresholds);
    this.#seen = seenNow(this.#seen, shortages, now);
    this.#setPressures(pressuresAt(this.#seen, now, transitionMs));
    const [shortage] = shortages;
    if (shortage === undefined) return undefined;
    const resource = resourceOf(shortage.signal);
    this.#options.onShortage(resource);
    const candidates = this.#options.pods().filter(mayGo);
    const used = await this.#options.useOf(candidates, resource);
    const [chosen] = rankPods(resource, used);
    const found = used.find(({ pod }) => pod === chosen);
    if (found === undefined) {
      logger.warn("The node is short, and no pod can be evicted", { signal: shortage.signal });
      return undefined;
    }
    this.#options.evict(found.pod, evictionMessage(shortage, found));
    return found.pod;
  }

  #setPressures(pressures: ReadonlySet<PressureCondition>): void {
    const before = this.#pressures;
    const isSame = pressures.size === before.size && [...pressures].every((type) => before.has(type));
    this.#pressures = pressures;
    if (!isSame) this.#options.onPressure();
  }

  async #untilStopped(pod: ApiPod, signal: AbortSignal): Promise<void> {
    const { clock, isRunning } = this.#options;
    const end = clock.monotonic() + longestCleanUpMs;
    do await clock.sleep(500, signal).catch(() => undefined);
    while (!signal.aborted && clock.monotonic() < end && (await isRunning(pod)));
  }
}

/** Who is on the way out, or part of the system, is left alone. */
function mayGo(pod: ApiPod): boolean {
  return !isFinal(pod.status?.phase) && pod.metadata.deletionTimestamp === undefined && !isCritical(pod);
}
