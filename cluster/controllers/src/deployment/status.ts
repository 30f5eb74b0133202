import { formatTime, parseTime, type DeepReadonly } from "@kedge/machinery";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "@kedge/machinery/kinds/apps/v1";
import { limitsOf, type DeploymentView } from "./plan.ts";
import { newReplicaSetOf } from "./replica-sets.ts";

/** What is to be said of a deployment, and when it changes by the passing of time alone. */
export interface DeploymentReport {
  readonly status: DeploymentStatus;
  readonly lookAgainAfter: number | undefined;
}

/** Sums up the replica sets. */
export function reportDeployment(view: DeploymentView, now: number): DeploymentReport {
  const { deployment, replicaSets } = view;
  const current = newReplicaSetOf(deployment, replicaSets);
  const sum = (of: (status: DeepReadonly<NonNullable<ReplicaSet["status"]>>) => number | undefined): number =>
    replicaSets.reduce((total, { status }) => total + (status === undefined ? 0 : (of(status) ?? 0)), 0);
  const available = sum((status) => status.availableReplicas);
  const specSize = replicaSets.reduce((total, { spec }) => total + (spec.replicas ?? 1), 0);
  const counts = {
    replicas: sum((status) => status.replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum((status) => status.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, specSize - available),
    terminatingReplicas: sum((status) => status.terminatingReplicas),
  };
  const progress = progressOf({ view, current, counts, now });
  return {
    status: {
      ...counts,
      observedGeneration: deployment.metadata.generation,
      ...(deployment.status?.collisionCount === undefined
        ? {}
        : { collisionCount: deployment.status.collisionCount }),
      conditions: [...availability(deployment, available, now), progress.condition],
    },
    lookAgainAfter: progress.lookAgainAfter,
  };
}

interface ProgressView {
  readonly view: DeploymentView;
  readonly current: DeepReadonly<ReplicaSet> | undefined;
  readonly counts: Pick<
    DeploymentStatus,
    "replicas" | "updatedReplicas" | "readyReplicas" | "availableReplicas"
  >;
  readonly now: number;
}

/** Done, under way, or without progress for longer than the spec allows. */
function progressOf({ view, current, counts, now }: ProgressView): {
  readonly condition: DeploymentCondition;
  readonly lookAgainAfter: number | undefined;
} {
  const { deployment } = view;
  const wanted = deployment.spec.replicas ?? 1;
  const before = deployment.status?.conditions?.find(({ type }) => type === "Progressing");
  const name = current?.metadata.name ?? "";
  const done =
    counts.updatedReplicas === wanted && counts.replicas === wanted && counts.availableReplicas === wanted;
  if (done && current !== undefined) {
    const message = `ReplicaSet "${name}" has successfully progressed.`;
    return {
      condition: condition(
        { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message },
        before,
        now,
      ),
      lookAgainAfter: undefined,
    };
  }
  const deadline = (deployment.spec.progressDeadlineSeconds ?? 600) * 1000;
  const moved =
    before === undefined ||
    before.reason === "NewReplicaSetAvailable" ||
    counts.updatedReplicas !== (deployment.status?.updatedReplicas ?? 0) ||
    (counts.readyReplicas ?? 0) > (deployment.status?.readyReplicas ?? 0) ||
    (counts.availableReplicas ?? 0) > (deployment.status?.availableReplicas ?? 0);
  const reason =
    deployment.status?.updatedReplicas === undefined ? "NewReplicaSetCreated" : "ReplicaSetUpdated";
  const message =
    reason === "NewReplicaSetCreated"
      ? `Created new replica set "${name}"`
      : `ReplicaSet "${name}" is progressing.`;
  if (moved) {
    const next = condition({ type: "Progressing", status: "True", reason, message }, before, now);
    return { condition: { ...next, lastUpdateTime: formatTime(now) }, lookAgainAfter: deadline };
  }
  const since = before.lastUpdateTime === undefined ? now : parseTime(before.lastUpdateTime);
  if (now - since < deadline) return { condition: { ...before }, lookAgainAfter: since + deadline - now };
  const late = `ReplicaSet "${name}" has timed out progressing.`;
  return {
    condition: condition(
      { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: late },
      before,
      now,
    ),
    lookAgainAfter: undefined,
  };
}

function availability(
  deployment: DeepReadonly<Deployment>,
  available: number,
  now: number,
): readonly DeploymentCondition[] {
  const before = deployment.status?.conditions?.find(({ type }) => type === "Available");
  const enough = available >= limitsOf(deployment).least;
  return [
    condition(
      enough
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
          },
      before,
      now,
    ),
  ];
}

/** Times stay what they were while nothing changes. */
function condition(
  next: Omit<DeploymentCondition, "lastTransitionTime" | "lastUpdateTime">,
  before: DeepReadonly<DeploymentCondition> | undefined,
  now: number,
): DeploymentCondition {
  const same =
    before?.status === next.status && before.reason === next.reason && before.message === next.message;
  return {
    ...next,
    lastUpdateTime: same && before.lastUpdateTime !== undefined ? before.lastUpdateTime : formatTime(now),
    lastTransitionTime:
      before?.status === next.status && before.lastTransitionTime !== undefined
        ? before.lastTransitionTime
        : formatTime(now),
  };
}
