import type { Refusal } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import { replicaRefusals } from "../rules/replica-rules.ts";

/** How many pods there are to be. */
export interface ReplicasPlan {
  /** How many the StatefulSet is to have now: none while it hibernates. Undefined: it is not made at all. */
  readonly pods: number | undefined;
  /** How many belong to the instance, awake or not. */
  readonly replicas: number;
  readonly refusals: readonly Refusal[];
}

/** A number that is refused leaves as many as there are. `most` is how many the config allows. */
export function planReplicas(
  { instance, statefulSet, pods }: Pick<Observed, "instance" | "statefulSet" | "pods">,
  most: number,
): ReplicasPlan {
  const { spec } = instance;
  const refusals = replicaRefusals(spec);
  // While the StatefulSet is made again its pods are there.
  const present = statefulSet?.spec?.replicas ?? (pods.length === 0 ? undefined : pods.length);
  if (refusals.length > 0 && present === undefined) return { pods: undefined, replicas: most, refusals };
  // One that sleeps does not say how many it had.
  const replicas = refusals.length > 0 && present !== undefined && present > 0 ? present : most;
  return { pods: spec.hibernate === true ? 0 : replicas, replicas, refusals };
}
