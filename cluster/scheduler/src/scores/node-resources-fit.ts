import type { ResourceStrategy, ResourceWeight, ShapePoint } from "../profile.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { amountIn } from "../view/resources.ts";
import { amountsFor } from "./resource-amounts.ts";
import { best, type PreparedScore, type Score } from "./types.ts";

const usual: readonly ResourceWeight[] = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];

/** The score of one resource of which so much would be in use. */
type ResourceScore = (requested: number, capacity: number) => number;

/** Nodes by how much of their resources would be in use: the emptiest first, or as the profile says. */
export const nodeResourcesFitScore: Score = {
  name: "NodeResourcesFit",
  prepare({ info, profile }) {
    const { resources = usual, ...strategy } = profile.resources ?? { type: "LeastAllocated" };
    const scoreOf = resourceScore(strategy);
    const isRatio = strategy.type === "RequestedToCapacityRatio";
    const amounts = resources.map(({ name, weight }) => ({
      weight,
      ...amountsFor(name, "scored"),
      wanted: amountIn(info.scored, name),
    }));
    // The common case, without going through a list: it is asked of each node for each pod.
    if (profile.resources === undefined) return leastAllocated(info);
    return {
      of(node) {
        let [sum, weights] = [0, 0];
        for (const { weight, capacityOf, takenOf, wanted, isSkipped } of amounts) {
          const capacity = capacityOf(node);
          if (capacity === 0 || isSkipped(wanted)) continue;
          const score = scoreOf(takenOf(node) + wanted, capacity);
          // Where the line is at 0, a resource does not count at all.
          if (isRatio && score <= 0) continue;
          sum += score * weight;
          weights += weight;
        }
        if (weights === 0) return 0;
        return isRatio ? Math.round(sum / weights) : Math.floor(sum / weights);
      },
    };
  },
};

function leastAllocated({ scored }: PodInfo): PreparedScore {
  const { cpu, memory } = scored;
  return {
    of({ allocatable, scored: taken }) {
      const ofCpu = allocatable.cpu === 0 ? 0 : least(taken.cpu + cpu, allocatable.cpu);
      const ofMemory = allocatable.memory === 0 ? 0 : least(taken.memory + memory, allocatable.memory);
      const resources = (allocatable.cpu === 0 ? 0 : 1) + (allocatable.memory === 0 ? 0 : 1);
      return resources === 0 ? 0 : Math.floor((ofCpu + ofMemory) / resources);
    },
  };
}

function least(requested: number, capacity: number): number {
  return requested > capacity ? 0 : Math.floor(((capacity - requested) * best) / capacity);
}

function resourceScore({ type, shape = [] }: Omit<ResourceStrategy, "resources">): ResourceScore {
  switch (type) {
    case "LeastAllocated":
      return least;
    case "MostAllocated":
      return (requested, capacity) => Math.floor((Math.min(requested, capacity) * best) / capacity);
    case "RequestedToCapacityRatio":
      return (requested, capacity) =>
        onLine(shape, requested > capacity ? 100 : Math.floor((requested * 100) / capacity));
  }
}

/** The value of a broken line, whose scores of 0 to 10 stand for 0 to 100. */
function onLine(shape: readonly ShapePoint[], utilization: number): number {
  let before: ShapePoint | undefined;
  for (const point of shape) {
    if (utilization <= point.utilization) {
      if (before === undefined) return point.score * 10;
      const share = (utilization - before.utilization) * (point.score - before.score) * 10;
      return before.score * 10 + Math.trunc(share / (point.utilization - before.utilization));
    }
    before = point;
  }
  return (before?.score ?? 0) * 10;
}
