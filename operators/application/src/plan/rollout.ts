import { findCondition, type DeepReadonly } from "@kedge/machinery";
import type { Deployment } from "@kedge/machinery/kinds/apps/v1";

/** How far the Deployment controller has come. */
export interface Rollout {
  readonly wanted: number;
  readonly ready: number;
  /** Pods of an older template are being replaced. */
  readonly isRolling: boolean;
  /** The newest spec has not been looked at yet. */
  readonly isUnseen: boolean;
  /** There are more or fewer pods than wanted. */
  readonly isScaling: boolean;
  /** All pods are there, up to date and available, and there are no others. */
  readonly isSettled: boolean;
  /** Why the Deployment controller has given up. */
  readonly stuck: string | undefined;
}

/** Reads a rollout from a Deployment. A status about an older spec says nothing about this one. */
export function rolloutOf({ metadata, spec, status }: DeepReadonly<Deployment>): Rollout {
  const wanted = spec?.replicas ?? 1;
  const {
    observedGeneration = 0,
    replicas = 0,
    readyReplicas = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
  } = status ?? {};
  const isCurrent = observedGeneration >= (metadata.generation ?? 0);
  const isRolling = isCurrent && updatedReplicas < replicas;
  const isScaling = replicas !== wanted;
  return {
    wanted,
    ready: readyReplicas,
    isRolling,
    isUnseen: !isCurrent,
    isScaling,
    isSettled: isCurrent && !isRolling && !isScaling && availableReplicas >= wanted,
    stuck: isCurrent ? stuckOf(status) : undefined,
  };
}

function stuckOf(status: DeepReadonly<Deployment>["status"]): string | undefined {
  const failure = findCondition(status?.conditions, "ReplicaFailure");
  if (failure?.status === "True") return failure.message ?? failure.reason;
  const progressing = findCondition(status?.conditions, "Progressing");
  return progressing?.status === "False" ? (progressing.message ?? progressing.reason) : undefined;
}
