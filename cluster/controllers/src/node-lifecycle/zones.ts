import type { DeepReadonly } from "@kedge/machinery";
import type { Node } from "@kedge/machinery/kinds/core/v1";
import type { NodeLifecycleOptions } from "./options.ts";

/**
 * How a zone is. `full`: none of its nodes is ready, `partial`: most are not. Of a zone that is disrupted it is more
 * likely that we cannot see its nodes than that they are gone.
 */
export type ZoneState = "initial" | "normal" | "partial" | "full";

/** How many nodes of a zone are ready. */
export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

/** What follows from how all zones are. */
export interface ZonesVerdict {
  readonly states: ReadonlyMap<string, ZoneState>;
  /** The zones whose rate changes: nodes a second that get an evicting taint. */
  readonly rates: ReadonlyMap<string, number>;
  /**
   * `enter`: no node at all is ready any more, so the fault is more likely ours, and evictions are called off.
   * `leave`: some are again, and all get the full time to come back.
   */
  readonly allDisrupted: "enter" | "leave" | undefined;
}

/** The zone of a node, with its region. Empty when it has none. */
export function zoneOf({ metadata }: DeepReadonly<Node>): string {
  const labels = metadata.labels ?? {};
  const of = (name: string): string =>
    labels[`failure-domain.beta.kubernetes.io/${name}`] ?? labels[`topology.kubernetes.io/${name}`] ?? "";
  const [region, zone] = [of("region"), of("zone")];
  return region === "" && zone === "" ? "" : `${region}/${zone}`;
}

/** Whether a node does not count for the state of its zone. */
export function isExcludedFromZone({ metadata }: DeepReadonly<Node>): boolean {
  return metadata.labels?.["node.kubernetes.io/exclude-disruption"] !== undefined;
}

/** The new states of all zones that have nodes, and what is to be done about it. */
export function judgeZones(
  before: ReadonlyMap<string, ZoneState>,
  counts: ReadonlyMap<string, ZoneCount>,
  options: NodeLifecycleOptions,
): ZonesVerdict {
  const found = new Map(Array.from(counts, ([zone, count]) => [zone, stateOf(count, options)] as const));
  const stateBefore = (zone: string): ZoneState => before.get(zone) ?? "initial";
  const zones = [...found.keys()];
  const wasFull = zones.every((zone) => stateBefore(zone) === "full");
  const isFull = zones.every((zone) => found.get(zone) === "full");
  if (zones.length === 0 || (wasFull && isFull))
    return { states: found, rates: new Map(), allDisrupted: undefined };
  if (isFull) {
    return { states: found, rates: new Map(zones.map((zone) => [zone, 0])), allDisrupted: "enter" };
  }
  const changed = zones.filter((zone) => wasFull || found.get(zone) !== stateBefore(zone));
  const rateIn = (zone: string): number =>
    rateOf(found.get(zone) ?? "normal", counts.get(zone) ?? { ready: 0, notReady: 0 }, options);
  return {
    states: found,
    rates: new Map(changed.map((zone) => [zone, rateIn(zone)])),
    allDisrupted: wasFull ? "leave" : undefined,
  };
}

function stateOf({ ready, notReady }: ZoneCount, options: NodeLifecycleOptions): ZoneState {
  if (ready === 0 && notReady > 0) return "full";
  const isPartial = notReady > 2 && notReady / (ready + notReady) >= options.unhealthyZoneThreshold;
  return isPartial ? "partial" : "normal";
}

function rateOf(state: ZoneState, { ready, notReady }: ZoneCount, options: NodeLifecycleOptions): number {
  if (state !== "partial") return options.evictionRate;
  return ready + notReady > options.largeZone ? options.secondaryEvictionRate : 0;
}
