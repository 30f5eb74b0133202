import type { DeepReadonly } from "@kedge/machinery";
import type { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { Limits } from "./limits.ts";
import { availableOf, oldestFirst, sizeOf } from "./replica-sets.ts";

type AnySet = DeepReadonly<ReplicaSet>;

/** A replica set, and how large it is to be. */
export interface Resizing {
  readonly replicaSet: AnySet;
  readonly replicas: number;
}

/** The next step from old pods to new ones: the new replica set grows as far as it may, else the old ones shrink. */
export function roll(limits: Limits, current: AnySet, old: readonly AnySet[]): readonly Resizing[] {
  const replicas = newSize(limits, sizeOf(current), old);
  if (replicas !== sizeOf(current)) return [{ replicaSet: current, replicas }];
  return shrink(limits, current, old);
}

/** How large a new replica set of this size may be beside the old ones. */
export function newSize(limits: Limits, size: number, old: readonly AnySet[]): number {
  if (size >= limits.wanted) return limits.wanted;
  const others = old.reduce((sum, replicaSet) => sum + sizeOf(replicaSet), 0);
  return Math.max(size, Math.min(limits.wanted, limits.most - others));
}

/** Old pods go as far as enough others are available; those that do not serve go first. */
function shrink(limits: Limits, current: AnySet, old: readonly AnySet[]): readonly Resizing[] {
  const all = [current, ...old];
  const size = all.reduce((sum, replicaSet) => sum + sizeOf(replicaSet), 0);
  const available = all.reduce((sum, replicaSet) => sum + availableOf(replicaSet), 0);
  const missingOfNew = sizeOf(current) - availableOf(current);
  const active = oldestFirst(old.filter((replicaSet) => sizeOf(replicaSet) > 0));
  const sizes = new Map(active.map((replicaSet) => [replicaSet, sizeOf(replicaSet)]));
  const take = (from: AnySet, upTo: number, spare: number): number => {
    const before = sizes.get(from) ?? 0;
    const fewer = Math.max(0, Math.min(spare, upTo, before));
    sizes.set(from, before - fewer);
    return spare - fewer;
  };
  let spare = size - limits.least - missingOfNew;
  if (spare <= 0) return [];
  for (const replicaSet of active)
    spare = take(replicaSet, sizeOf(replicaSet) - availableOf(replicaSet), spare);
  spare = Math.min(spare, available - limits.least);
  for (const replicaSet of active) spare = take(replicaSet, Infinity, spare);
  return [...sizes].map(([replicaSet, replicas]) => ({ replicaSet, replicas }));
}
