import type { DeepReadonly, Uid } from "@kedge/machinery";
import type { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type { Refusal } from "@kedge/runtime";
import type { Application } from "../kind.ts";
import { replicasBegunAnnotation, replicasByAnnotation } from "../names.ts";
import type { ReplicasPlan } from "../specs/deployment.ts";

/** Who says how many pods, and what must be handed over before that. */
export interface ReplicasDecision {
  readonly replicas: ReplicasPlan;
  /** A number that the spec says and that is not its to say. */
  readonly refusals: readonly Refusal[];
  /** The number that the Deployment has now and is to keep when we let go of the field. */
  readonly handOver: { readonly name: string; readonly uid: Uid; readonly count: number } | undefined;
}

/**
 * With scaling, a Deployment begins with the spec's number and is left to the autoscaler from its next run on. A field
 * that its only owner lets go of would fall back to 1: so it is first given to another field manager, as it is.
 */
export function planReplicas(
  { replicas, scaling }: DeepReadonly<Application>["spec"],
  deployment: DeepReadonly<Deployment> | undefined,
): ReplicasDecision {
  if (scaling === undefined) {
    return { replicas: { by: "application", count: replicas }, handOver: undefined, refusals: [] };
  }
  if (deployment === undefined) {
    const count = Math.min(Math.max(replicas, scaling.minReplicas), scaling.maxReplicas);
    return { replicas: { by: "application", count, begun: replicas }, handOver: undefined, refusals: [] };
  }
  const isHandedOver = deployment.metadata.annotations?.[replicasByAnnotation] === "autoscaler";
  const { name, uid, annotations } = deployment.metadata;
  const begun = Number(annotations?.[replicasBegunAnnotation] ?? replicas);
  const now = deployment.spec?.replicas ?? 1;
  // `kubectl scale` was answered with "scaled".
  const message = `is ${replicas} and changes nothing: with scaling the number, now ${now}, is the autoscaler's; set scaling.minReplicas or scaling.maxReplicas, remove scaling, or set it back to ${begun}`;
  return {
    replicas: { by: "autoscaler", count: undefined, begun },
    handOver: isHandedOver ? undefined : { name, uid, count: now },
    refusals: begun === replicas ? [] : [{ field: "spec.replicas", message }],
  };
}
