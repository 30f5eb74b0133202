import { parseTime, type DeepReadonly } from "@kedge/machinery";
import type { Deployment, DeploymentCondition, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { findDeploymentCondition, putCondition, renewCondition, type NewCondition } from "./conditions.ts";
import type { DeploymentCounts } from "./counts.ts";

/** A replica set that has just been made, or could not be. */
export interface Creation {
  readonly name: string;
  readonly failure?: Error | undefined;
}

/** What progress is judged by. */
export interface ProgressView {
  readonly deployment: DeepReadonly<Deployment>;
  readonly current: DeepReadonly<ReplicaSet> | undefined;
  readonly counts: DeploymentCounts;
  readonly conditions: readonly DeploymentCondition[];
  readonly outcome: { readonly creation?: Creation | undefined; readonly now: number };
}

/** The conditions with the one about progress, and when its deadline passes, in milliseconds from now. */
export interface Progress {
  readonly conditions: readonly DeploymentCondition[];
  readonly lookAgainAfter: number | undefined;
}

/** Written so, a deadline means none. */
const noDeadline = 2_147_483_647;

/** Done, under way, paused, or without progress for longer than the spec allows. */
export function judgeProgress(view: ProgressView): Progress {
  const { deployment, conditions, outcome } = view;
  const { now } = outcome;
  const seconds = deployment.spec.progressDeadlineSeconds ?? noDeadline;
  if (seconds === noDeadline) {
    return { conditions: conditions.filter(({ type }) => type !== "Progressing"), lookAgainAfter: undefined };
  }
  const begun = begin(view);
  if (deployment.spec.paused === true) return { conditions: begun, lookAgainAfter: undefined };
  const judged = judge({ ...view, conditions: begun }, seconds * 1000);
  const progressing = findDeploymentCondition(judged, "Progressing");
  const isDecided =
    isComplete(view) || progressing === undefined || progressing.reason === "ProgressDeadlineExceeded";
  if (isDecided || progressing.reason === "NewReplicaSetAvailable") {
    return { conditions: judged, lookAgainAfter: undefined };
  }
  // Times are kept in whole seconds: a second more makes sure that the deadline has passed.
  const left = updatedAt(progressing, now) + seconds * 1000 - now;
  return { conditions: judged, lookAgainAfter: Math.max(0, left) + 1000 };
}

/** What is said because of what was done, before it is known where it leads. */
function begin({ deployment, current, conditions, outcome }: ProgressView): readonly DeploymentCondition[] {
  const { creation, now } = outcome;
  const before = findDeploymentCondition(conditions, "Progressing");
  const put = (status: string, reason: string, message: string): readonly DeploymentCondition[] =>
    putCondition(conditions, { type: "Progressing", status, reason, message }, now);
  const isPaused = before?.reason === "DeploymentPaused";
  if (deployment.spec.paused === true) {
    const isLate = before?.reason === "ProgressDeadlineExceeded";
    return isLate ? conditions : put("Unknown", "DeploymentPaused", "Deployment is paused");
  }
  if (creation?.failure !== undefined) {
    const message = `Failed to create new replica set "${creation.name}": ${creation.failure.message}`;
    return put("False", "ReplicaSetCreateError", message);
  }
  if (creation !== undefined) {
    return put("True", "NewReplicaSetCreated", `Created new replica set "${creation.name}"`);
  }
  if (isPaused) return put("Unknown", "DeploymentResumed", "Deployment is resumed");
  if (before !== undefined || current === undefined) return conditions;
  return put("True", "FoundNewReplicaSet", `Found new replica set "${current.metadata.name}"`);
}

function judge(view: ProgressView, deadline: number): readonly DeploymentCondition[] {
  const { deployment, current, counts, conditions, outcome } = view;
  const before = findDeploymentCondition(conditions, "Progressing");
  const isResync = counts.replicas === counts.updatedReplicas && before?.reason === "NewReplicaSetAvailable";
  if (isResync) return conditions;
  const subject =
    current === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${current.metadata.name}"`;
  const next = (status: string, reason: string, how: string): NewCondition => ({
    type: "Progressing",
    status,
    reason,
    message: `${subject} ${how}`,
  });
  const { now } = outcome;
  if (isComplete(view)) {
    const done = next("True", "NewReplicaSetAvailable", "has successfully progressed.");
    return putCondition(conditions, done, now);
  }
  if (hasMoved(view))
    return renewCondition(conditions, next("True", "ReplicaSetUpdated", "is progressing."), now);
  if (before === undefined || before.reason === "NewReplicaSetAvailable") return conditions;
  const isLate = before.reason === "ProgressDeadlineExceeded" || updatedAt(before, now) + deadline < now;
  if (!isLate) return conditions;
  return putCondition(
    conditions,
    next("False", "ProgressDeadlineExceeded", "has timed out progressing."),
    now,
  );
}

function isComplete({ deployment, counts }: ProgressView): boolean {
  const wanted = deployment.spec.replicas ?? 1;
  return (
    counts.updatedReplicas === wanted && counts.replicas === wanted && counts.availableReplicas === wanted
  );
}

/** More new pods, fewer old ones, or more that serve than was last told. */
function hasMoved({ deployment, counts }: ProgressView): boolean {
  const {
    replicas = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    availableReplicas = 0,
  } = deployment.status ?? {};
  return (
    counts.updatedReplicas > updatedReplicas ||
    counts.replicas - counts.updatedReplicas < replicas - updatedReplicas ||
    counts.readyReplicas > readyReplicas ||
    counts.availableReplicas > availableReplicas
  );
}

function updatedAt({ lastUpdateTime }: DeploymentCondition, now: number): number {
  return lastUpdateTime === undefined ? now : parseTime(lastUpdateTime);
}
