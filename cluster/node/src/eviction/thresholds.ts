import { parseQuantity, quantityToNumber } from "@kedge/machinery";
import type { EvictionSignal, PressureCondition, Supplies, Supply, Thresholds } from "./types.ts";

/** The kubelet's own on Linux. */
export const usualThresholds: Thresholds = {
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%",
};

/** A threshold that is passed. */
export interface Shortage {
  readonly signal: EvictionSignal;
  /** The least that should be left. */
  readonly least: number;
  readonly supply: Supply;
}

/** What pods give back when they go, by the kubelet's names of resources. */
export type StarvedResource = "memory" | "ephemeral-storage" | "inodes" | "pids";

/** In the order in which shortages are met. */
const signals: readonly EvictionSignal[] = [
  "memory.available",
  "nodefs.available",
  "nodefs.inodesFree",
  "imagefs.available",
  "imagefs.inodesFree",
  "pid.available",
];

const meanings: Readonly<Record<EvictionSignal, readonly [PressureCondition, StarvedResource]>> = {
  "memory.available": ["MemoryPressure", "memory"],
  "nodefs.available": ["DiskPressure", "ephemeral-storage"],
  "nodefs.inodesFree": ["DiskPressure", "inodes"],
  "imagefs.available": ["DiskPressure", "ephemeral-storage"],
  "imagefs.inodesFree": ["DiskPressure", "inodes"],
  "pid.available": ["PIDPressure", "pids"],
};

/** The condition of a node that is short of this. */
export function conditionOf(signal: EvictionSignal): PressureCondition {
  return meanings[signal][0];
}

/** What has to be won back. */
export function resourceOf(signal: EvictionSignal): StarvedResource {
  return meanings[signal][1];
}

/** What is short now; memory first, which runs out the fastest. */
export function shortagesIn(supplies: Supplies, thresholds: Thresholds): readonly Shortage[] {
  return signals.flatMap((signal) => {
    const supply = supplies[signal];
    const threshold = thresholds[signal];
    if (supply === undefined || threshold === undefined) return [];
    const least = leastOf(threshold, supply.capacity);
    return supply.available < least ? [{ signal, least, supply }] : [];
  });
}

/** Throws when a threshold is neither a quantity nor a percentage. */
export function checkThresholds(thresholds: Readonly<Record<string, string>>): void {
  for (const [signal, value] of Object.entries(thresholds)) {
    if (!(signal in meanings)) {
      throw new Error(`eviction threshold ${signal}: must be one of ${signals.join(", ")}`);
    }
    const least = leastOf(value, 100);
    if (!Number.isFinite(least) || least < 0 || (value.endsWith("%") && least > 100)) {
      throw new Error(
        `eviction threshold ${signal}=${value}: must be a quantity such as 100Mi, or 0% to 100%`,
      );
    }
  }
}

function leastOf(threshold: string, capacity: number): number {
  if (threshold.endsWith("%")) return Math.floor((Number(threshold.slice(0, -1)) / 100) * capacity);
  return quantityToNumber(parseQuantity(threshold));
}
