import type { Clock, Logger } from "@kedge/machinery";
import type { CgroupUsage } from "../runtime/cgroup-usage.ts";
import type { ContainerInfo } from "../runtime/types.ts";

/** Milliseconds between samples: as often as the kubelet looks. */
const interval = 10_000;

/** Rates over less than this say little: of a container that was just started nothing is said yet. */
const shortestWindow = 1_000;

/** What something uses. Times are milliseconds since 1970. */
export interface Usage extends CgroupUsage {
  readonly time: number;
  /** Billionths of a processor that it used over the last while. */
  readonly cpuNanocores: number;
  /** How long that while was. */
  readonly windowMs: number;
}

/** What a container uses. */
export interface ContainerUsage {
  readonly container: ContainerInfo;
  readonly usage: Usage;
}

/** What the node and its containers use. */
export interface NodeUsage {
  /** Undefined until it was looked at twice. */
  readonly node: Usage | undefined;
  readonly containers: readonly ContainerUsage[];
}

/** What is looked at. */
export interface UsageSource {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Those that run. */
  containers(): Promise<readonly ContainerInfo[]>;
  usageOf(id: string): Promise<CgroupUsage | undefined>;
  machine(): Promise<CgroupUsage>;
}

interface Sample extends CgroupUsage {
  readonly time: number;
  readonly at: number;
}

/** Looks at the counters of control groups again and again: what is used now is how fast they grow. */
export class UsageSampler {
  readonly #source: UsageSource;
  /** By the id of a container; the machine has the empty one. */
  #before = new Map<string, Sample>();
  #usage: NodeUsage = { node: undefined, containers: [] };

  constructor(source: UsageSource) {
    this.#source = source;
  }

  /** As of the last look. */
  get usage(): NodeUsage {
    return this.#usage;
  }

  /** Looks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#source;
    while (!signal.aborted) {
      await this.look().catch((error: unknown) => logger.warn("What pods use could not be read", { error }));
      await clock.sleep(interval, signal).catch(() => undefined);
    }
  }

  /** Looks once. */
  async look(): Promise<void> {
    const { clock } = this.#source;
    const after = new Map<string, Sample>();
    const measure = async (
      id: string,
      read: Promise<CgroupUsage | undefined>,
    ): Promise<Usage | undefined> => {
      const usage = await clock.track(read);
      if (usage === undefined) return undefined;
      const sample = { ...usage, time: clock.now(), at: clock.monotonic() };
      const before = this.#before.get(id);
      // Too soon to say anything new: the next look measures from the same beginning.
      const isNew = before === undefined || sample.at - before.at >= shortestWindow;
      after.set(id, isNew ? sample : before);
      return before === undefined || !isNew ? undefined : rate(before, sample);
    };
    const node = await measure("", this.#source.machine());
    const containers: ContainerUsage[] = [];
    for (const container of await clock.track(this.#source.containers())) {
      const usage = await measure(container.id, this.#source.usageOf(container.id));
      if (usage !== undefined) containers.push({ container, usage });
    }
    this.#before = after;
    this.#usage = { node: node ?? this.#usage.node, containers };
  }
}

function rate(before: Sample, { at, ...now }: Sample): Usage {
  const windowMs = at - before.at;
  const used = Math.max(0, now.cpuNanoseconds - before.cpuNanoseconds);
  return { ...now, windowMs, cpuNanocores: Math.round((used * 1000) / windowMs) };
}
