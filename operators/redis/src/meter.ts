import { keyToString, type Clock, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import type { ManagerGauge } from "@kedge/runtime";
import type { Observed } from "./observe.ts";
import type { Action } from "./plan/types.ts";

/** How a primary came to be another one. */
type Cause = "lost" | "switchover";

interface Sum {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
  seconds: number;
}

/**
 * Counts what this process does to instances, and how long that takes. A change of the primary lasts from the first
 * question that the old one did not answer, or from the order to hand over, until the new one is admitted: for so long
 * nobody could write.
 */
export class Meter {
  readonly #operations = new Map<string, Sum>();
  readonly #changes = new Map<string, Sum>();
  readonly #gaps = new Map<string, Sum>();
  /** By instance: since when nobody can write, and why. */
  readonly #open = new Map<string, { readonly cause: Cause; readonly since: number }>();

  /** Does something, and counts it. */
  async time(
    action: Action,
    { observed, clock }: { readonly observed: DeepReadonly<Observed> | undefined; readonly clock: Clock },
    work: () => Promise<void>,
  ): Promise<void> {
    const began = clock.monotonic();
    let outcome = "failed";
    try {
      if (action.type === "hand over") this.#begin(observed, "switchover", began);
      await work();
      outcome = "done";
    } finally {
      const labels = { operation: action.type.replaceAll(" ", "_"), outcome };
      add(this.#operations, labels, clock.monotonic() - began);
    }
    this.#follow(action, observed, clock.monotonic());
  }

  /** The instance is gone. */
  forget(instance: ObjectKey): void {
    this.#open.delete(keyToString(instance));
    this.#gaps.delete(keyToString(instance));
  }

  #follow(action: Action, observed: DeepReadonly<Observed> | undefined, now: number): void {
    if (action.type === "take epoch" && action.lost !== undefined) {
      const { pod } = action.lost;
      const silentMs = observed?.servers.find((server) => server.pod === pod)?.silentMs ?? 0;
      this.#begin(observed, "lost", now - silentMs);
    }
    if (action.type !== "admit" || action.role !== "primary" || observed === undefined) return;
    const { namespace, name } = observed.instance.metadata;
    const key = keyToString({ namespace, name });
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    add(this.#changes, { cause: open.cause }, now - open.since);
    const last = { labels: { namespace, name }, count: 1, seconds: (now - open.since) / 1000 };
    this.#gaps.set(key, last);
  }

  #begin(observed: DeepReadonly<Observed> | undefined, cause: Cause, since: number): void {
    if (observed === undefined) return;
    const key = keyToString(observed.instance.metadata);
    if (!this.#open.has(key)) this.#open.set(key, { cause, since });
  }

  /** What is known so far, for metrics. */
  gauges(): readonly ManagerGauge[] {
    return [
      ...counters(this.#operations, "kedge_redis_operations", {
        help: "What the operator did to servers and children of its own",
        labelNames: ["operation", "outcome"],
      }),
      ...counters(this.#changes, "kedge_redis_primary_changes", {
        help: "Changes of the primary, because it was lost or in order",
        labelNames: ["cause"],
      }),
      {
        name: "kedge_redis_write_gap_seconds",
        help: "For how long nobody could write at the last change of the primary, as far as the operator knows",
        labelNames: ["namespace", "name"],
        values: () => [...this.#gaps.values()].map(({ labels, seconds }) => ({ labels, value: seconds })),
      },
    ];
  }
}

function counters(
  sums: ReadonlyMap<string, Sum>,
  name: string,
  { help, labelNames }: { readonly help: string; readonly labelNames: readonly string[] },
): readonly ManagerGauge[] {
  const valuesOf = (value: (sum: Sum) => number) => () =>
    [...sums.values()].map((sum) => ({ labels: sum.labels, value: value(sum) }));
  return [
    {
      name: `${name}_total`,
      help: `${help}: how many`,
      labelNames,
      type: "counter",
      values: valuesOf(({ count }) => count),
    },
    {
      name: `${name}_seconds_total`,
      help: `${help}: how long they took, summed up`,
      labelNames,
      type: "counter",
      values: valuesOf(({ seconds }) => seconds),
    },
  ];
}

function add(sums: Map<string, Sum>, labels: Readonly<Record<string, string>>, ms: number): void {
  const key = JSON.stringify(labels);
  const sum = sums.get(key) ?? { labels, count: 0, seconds: 0 };
  sum.count += 1;
  sum.seconds += ms / 1000;
  sums.set(key, sum);
}
