import { conditionOf, type Shortage } from "./thresholds.ts";
import type { PressureCondition } from "./types.ts";

/** When each shortage was last seen, in milliseconds since 1970. */
export type LastSeen = ReadonlyMap<PressureCondition, number>;

/** Notes what is short now. */
export function seenNow(before: LastSeen, shortages: readonly Shortage[], now: number): LastSeen {
  return new Map([...before, ...shortages.map(({ signal }) => [conditionOf(signal), now] as const)]);
}

/** The conditions that hold: those whose cause is there, or has been gone for less than `transitionMs`. */
export function pressuresAt(
  seen: LastSeen,
  now: number,
  transitionMs: number,
): ReadonlySet<PressureCondition> {
  return new Set([...seen].filter(([, at]) => at === now || now - at < transitionMs).map(([type]) => type));
}
