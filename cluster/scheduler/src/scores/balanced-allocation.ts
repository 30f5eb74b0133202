import type { NodeInfo } from "../view/node-info.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { amountIn } from "../view/resources.ts";
import { amountsFor } from "./resource-amounts.ts";
import { best, type Score } from "./types.ts";

/** Nodes whose resources the pod would bring nearer to being used alike. */
export const balancedAllocation: Score = {
  name: "NodeResourcesBalancedAllocation",
  prepare({ info, profile }) {
    const amounts = (profile.balancedResources ?? ["cpu", "memory"]).map((name) => ({
      ...amountsFor(name, "requested"),
      wanted: amountIn(info.requested, name),
    }));
    const plain = profile.balancedResources === undefined ? cpuAndMemory(info) : undefined;
    // Pods that ask for nothing would all go to the node that is in balance.
    if (amounts.every(({ wanted }) => wanted === 0)) return undefined;
    return {
      of(node) {
        if (plain !== undefined) return plain(node);
        const before: number[] = [];
        const after: number[] = [];
        for (const { capacityOf, takenOf, wanted, isSkipped } of amounts) {
          const capacity = capacityOf(node);
          if (capacity === 0 || isSkipped(wanted)) continue;
          const taken = takenOf(node);
          before.push(Math.min(taken / capacity, 1));
          after.push(Math.min((taken + wanted) / capacity, 1));
        }
        return improvement(balance(deviation(before)), balance(deviation(after)));
      },
    };
  },
};

/** The common case, without lists: it is asked of each node for each pod. */
function cpuAndMemory({ requested }: PodInfo): (node: NodeInfo) => number {
  const { cpu, memory } = requested;
  return ({ allocatable, requested: taken }) => {
    // With one of them alone there is nothing to be in balance.
    if (allocatable.cpu === 0 || allocatable.memory === 0) return improvement(best, best);
    const before = Math.min(taken.cpu / allocatable.cpu, 1) - Math.min(taken.memory / allocatable.memory, 1);
    const after =
      Math.min((taken.cpu + cpu) / allocatable.cpu, 1) -
      Math.min((taken.memory + memory) / allocatable.memory, 1);
    return improvement(balance(Math.abs(before / 2)), balance(Math.abs(after / 2)));
  };
}

/** 75 when nothing changes, up to 100 when the balance becomes better. */
function improvement(before: number, after: number): number {
  return best / 2 + Math.trunc((best / 2 + after - before) / 2);
}

/** 100 when all shares are the same, less the more they differ. */
function balance(deviationOfShares: number): number {
  return Math.trunc((1 - deviationOfShares) * best);
}

function deviation(shares: readonly number[]): number {
  const [first = 0, second = 0] = shares;
  if (shares.length < 2) return 0;
  if (shares.length === 2) return Math.abs((first - second) / 2);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / shares.length);
}
