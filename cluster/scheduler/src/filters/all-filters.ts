import { interPodAffinity } from "./inter-pod-affinity.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeResourcesFit } from "./node-resources-fit.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";
import { taintToleration } from "./taint-toleration.ts";
import type { Filter } from "./types.ts";
import { volumeBinding } from "./volume-binding.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";
import { volumeZone } from "./volume-zone.ts";

/** In Kubernetes' order: of a node that several refuse, the first speaks. */
export const allFilters: readonly Filter[] = [
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
];
