import type { Refusal } from "@kedge/runtime";
import type { InstanceSpec } from "../kind.ts";

/** With two, whoever is cut off from the other one cannot know which of both is gone. */
const fewestForFailover = 3;

/** Why there may not be so many, or so few, replicas. */
export function replicaRefusals({
  highAvailability,
  replicas,
}: Pick<InstanceSpec, "highAvailability" | "replicas">): readonly Refusal[] {
  if (highAvailability !== true || replicas >= fewestForFailover) return [];
  return [
    {
      field: "spec.replicas",
      message: `is ${replicas}, but spec.highAvailability is true: failover needs at least ${fewestForFailover}; raise it, or set spec.highAvailability to false`,
    },
  ];
}
