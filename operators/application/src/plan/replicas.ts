import type { DeepReadonly, Uid } from "@kedge/machinery";
import type { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type { Application } from "../kind.ts";
import { replicasByAnnotation } from "../names.ts";
import type { ReplicasPlan } from "../specs/deployment.ts";

/** Who says how many pods, and what must be handed over before that. */
export interface ReplicasDecision {
  readonly replicas: ReplicasPlan;
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
  if (scaling === undefined) return { replicas: { by: "application", count: replicas }, handOver: undefined };
  if (deployment === undefined) {
    const count = Math.min(Math.max(replicas, scaling.minReplicas), scaling.maxReplicas);
    return { replicas: { by: "application", count }, handOver: undefined };
  }
  const isHandedOver = deployment.metadata.annotations?.[replicasByAnnotation] === "autoscaler";
  const { name, uid } = deployment.metadata;
  return {
    replicas: { by: "autoscaler", count: undefined },
    handOver: isHandedOver ? undefined : { name, uid, count: deployment.spec?.replicas ?? 1 },
  };
}
