import type { DeepReadonly } from "@kedge/machinery";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "@kedge/machinery/kinds/apps/v1";
import { putCondition, type NewCondition } from "./conditions.ts";
import { countsOf } from "./counts.ts";
import { limitsOf } from "./limits.ts";
import type { DeploymentView } from "./plan.ts";
import { judgeProgress, type Creation } from "./progress.ts";
import { newReplicaSetOf } from "./replica-sets.ts";

/** What is to be said of a deployment, and when it changes by the passing of time alone. */
export interface DeploymentReport {
  readonly status: DeploymentStatus;
  readonly lookAgainAfter: number | undefined;
}

/** What has just been done. */
export interface DeploymentOutcome {
  /** A replica set that was made, or could not be. */
  readonly creation?: Creation | undefined;
  readonly now: number;
}

/** Sums up the replica sets. */
export function reportDeployment(view: DeploymentView, outcome: DeploymentOutcome): DeploymentReport {
  const { deployment, replicaSets } = view;
  const { now } = outcome;
  const current = newReplicaSetOf(deployment, replicaSets);
  const counts = countsOf(replicaSets, current);
  const before: DeploymentCondition[] = (deployment.status?.conditions ?? []).map((condition) => ({
    ...condition,
  }));
  const available = putCondition(before, availabilityOf(deployment, counts.availableReplicas), now);
  const progress = judgeProgress({ deployment, current, counts, conditions: available, outcome });
  const failure = failureOf(replicaSets, current);
  const conditions =
    failure === undefined
      ? progress.conditions.filter(({ type }) => type !== "ReplicaFailure")
      : putCondition(progress.conditions, failure, now);
  const { collisionCount } = deployment.status ?? {};
  return {
    status: {
      ...counts,
      observedGeneration: deployment.metadata.generation,
      ...(collisionCount === undefined ? {} : { collisionCount }),
      conditions: [...conditions],
    },
    lookAgainAfter: progress.lookAgainAfter,
  };
}

function availabilityOf(deployment: DeepReadonly<Deployment>, available: number): NewCondition {
  return available >= limitsOf(deployment).least
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
}

/** What keeps pods from being made: of the new replica set first, else of any. */
function failureOf(
  replicaSets: readonly DeepReadonly<ReplicaSet>[],
  current: DeepReadonly<ReplicaSet> | undefined,
): NewCondition | undefined {
  const all = [...(current === undefined ? [] : [current]), ...replicaSets];
  const found = all
    .flatMap(({ status }) => status?.conditions ?? [])
    .find(({ type }) => type === "ReplicaFailure");
  if (found === undefined) return undefined;
  const { status, reason = "", message = "" } = found;
  return { type: "ReplicaFailure", status, reason, message };
}
