import type { PathElement } from "./path-element.ts";

/** One item of a merged list. */
export interface MergeStep {
  readonly element: PathElement;
  /** Set for an item that is taken from the live list alone. */
  readonly liveIndex: number | undefined;
}

/**
 * In which order the items of two lists follow each other when they are merged: those of the applied list in its own
 * order, and those that are only live where they stood between the items that both lists have.
 */
export function mergeOrder(
  live: readonly PathElement[],
  applied: readonly PathElement[],
): readonly MergeStep[] {
  const inLive = new Set(live);
  const inApplied = new Set(applied);
  const shared = applied.filter((element) => inLive.has(element));
  const done = new Set<PathElement>();
  const steps: MergeStep[] = [];
  let nextShared = 0;
  let left = 0;
  let right = 0;
  while (left < live.length || right < applied.length) {
    const mine = live[left];
    const theirs = applied[right];
    if (mine !== undefined && mine === theirs) {
      steps.push({ element: mine, liveIndex: undefined });
      done.add(mine);
      left++;
      right++;
      nextShared++;
      continue;
    }
    if (mine !== undefined) {
      const expected = shared[nextShared];
      // A shared item out of turn comes later, in the order of the applied list.
      if (theirs !== undefined && inApplied.has(mine) && expected !== undefined && expected !== mine) {
        left++;
        continue;
      }
      if (!inApplied.has(mine)) {
        steps.push({ element: mine, liveIndex: left });
        left++;
        continue;
      }
      if (done.has(mine)) left++;
    }
    if (theirs !== undefined) {
      steps.push({ element: theirs, liveIndex: undefined });
      done.add(theirs);
      right++;
    }
  }
  return steps;
}
