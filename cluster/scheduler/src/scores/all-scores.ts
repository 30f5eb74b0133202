import { balancedAllocation } from "./balanced-allocation.ts";
import { imageLocality } from "./image-locality.ts";
import { interPodAffinityScore } from "./inter-pod-affinity.ts";
import { nodeAffinityScore } from "./node-affinity.ts";
import { nodeResourcesFitScore } from "./node-resources-fit.ts";
import { podTopologySpreadScore } from "./pod-topology-spread.ts";
import { taintTolerationScore } from "./taint-toleration.ts";
import type { Score } from "./types.ts";

/** All that compare nodes. */
export const allScores: readonly Score[] = [
  taintTolerationScore,
  nodeAffinityScore,
  nodeResourcesFitScore,
  podTopologySpreadScore,
  interPodAffinityScore,
  balancedAllocation,
  imageLocality,
];
