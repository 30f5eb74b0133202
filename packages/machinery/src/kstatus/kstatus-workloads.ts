import { conditionsOf, intAt, stringAt } from "./kstatus-fields.ts";
import { current, failed, inProgress, type Kstatus } from "./kstatus-result.ts";

/** The rule of StatefulSets. */
export function statefulSet(object: object): Kstatus {
  if (stringAt(object, "spec.updateStrategy.type") === "OnDelete") {
    return current("StatefulSet is using the ondelete update strategy");
  }
  const wanted = intAt(object, "spec.replicas") ?? 1;
  const replicas = intAt(object, "status.replicas") ?? 0;
  return (
    tooFew("LessReplicas", "Replicas", [replicas, wanted]) ??
    tooFew("LessReady", "Ready", [intAt(object, "status.readyReplicas"), wanted]) ??
    tooMany(replicas, wanted) ??
    partitionRollout(object, wanted) ??
    tooFew("LessCurrent", "current", [intAt(object, "status.currentReplicas"), wanted]) ??
    revisionMismatch(object) ??
    current(`All replicas scheduled as expected. Replicas: ${replicas}`)
  );
}

/** The rule of Deployments. */
export function deployment(object: object): Kstatus {
  const progressing = progressOf(object);
  if (typeof progressing !== "boolean") return progressing;
  const wanted = intAt(object, "spec.replicas") ?? 1;
  const replicas = intAt(object, "status.replicas") ?? 0;
  const updated = intAt(object, "status.updatedReplicas") ?? 0;
  const isAvailable = conditionsOf(object).some((c) => c.type === "Available" && c.status === "True");
  return (
    tooFew("LessReplicas", "Replicas", [replicas, wanted]) ??
    tooFew("LessUpdated", "Updated", [updated, wanted]) ??
    tooMany(replicas, wanted) ??
    tooFew("LessAvailable", "Available", [intAt(object, "status.availableReplicas"), updated]) ??
    tooFew("LessReady", "Ready", [intAt(object, "status.readyReplicas"), wanted]) ??
    (progressing ? undefined : inProgress("ReplicaSetNotAvailable", "ReplicaSet not Available")) ??
    (isAvailable ? undefined : inProgress("DeploymentNotAvailable", "Deployment not Available")) ??
    current(`Deployment is available. Replicas: ${replicas}`)
  );
}

/** The rule of ReplicaSets. */
export function replicaSet(object: object): Kstatus {
  if (conditionsOf(object).some((c) => c.type === "ReplicaFailure" && c.status === "True")) {
    return inProgress("ReplicaFailure", "Replica Failure condition. Check Pods");
  }
  const wanted = intAt(object, "spec.replicas") ?? 1;
  const replicas = intAt(object, "status.replicas") ?? 0;
  return (
    tooFew("LessLabelled", "Labelled", [intAt(object, "status.fullyLabeledReplicas"), wanted]) ??
    tooFew("LessAvailable", "Available", [intAt(object, "status.availableReplicas"), wanted]) ??
    tooFew("LessReady", "Ready", [intAt(object, "status.readyReplicas"), wanted]) ??
    tooMany(replicas, wanted) ??
    current(`ReplicaSet is available. Replicas: ${replicas}`)
  );
}

/** The rule of DaemonSets. */
export function daemonSet(object: object): Kstatus {
  // Their controller always sets these two: without them it has not looked yet.
  if (intAt(object, "metadata.generation") === undefined) {
    return inProgress("NoGeneration", "DaemonSet metadata.generation not found");
  }
  if (intAt(object, "status.observedGeneration") === undefined) {
    return inProgress("NoObservedGeneration", "DaemonSet status.observedGeneration not found");
  }
  const wanted = intAt(object, "status.desiredNumberScheduled") ?? -1;
  if (wanted === -1) return inProgress("NoDesiredNumber", "Missing .status.desiredNumberScheduled");
  return (
    tooFew("LessCurrent", "Current", [intAt(object, "status.currentNumberScheduled"), wanted]) ??
    tooFew("LessUpdated", "Updated", [intAt(object, "status.updatedNumberScheduled"), wanted]) ??
    tooFew("LessAvailable", "Available", [intAt(object, "status.numberAvailable"), wanted]) ??
    tooFew("LessReady", "Ready", [intAt(object, "status.numberReady"), wanted]) ??
    current(`All replicas scheduled as expected. Replicas: ${wanted}`)
  );
}

function tooFew(
  reason: string,
  title: string,
  [have = 0, wanted]: readonly [number | undefined, number],
): Kstatus | undefined {
  return wanted > have ? inProgress(reason, `${title}: ${have}/${wanted}`) : undefined;
}

function tooMany(have: number, wanted: number): Kstatus | undefined {
  return have > wanted ? inProgress("ExtraPods", `Pending termination: ${have - wanted}`) : undefined;
}

function partitionRollout(object: object, wanted: number): Kstatus | undefined {
  const partition = intAt(object, "spec.updateStrategy.rollingUpdate.partition") ?? -1;
  if (partition === -1) return undefined;
  const updated = intAt(object, "status.updatedReplicas") ?? 0;
  return (
    tooFew("PartitionRollout", "updated", [updated, wanted - partition]) ??
    current(`Partition rollout complete. updated: ${updated}`)
  );
}

function revisionMismatch(object: object): Kstatus | undefined {
  const isSame =
    (stringAt(object, "status.currentRevision") ?? "") === (stringAt(object, "status.updateRevision") ?? "");
  return isSame ? undefined : inProgress("RevisionMismatch", "Waiting for updated revision to match current");
}

/** The deployment controller's "no deadline": it then never sets the condition Progressing. */
const noDeadline = 2 ** 31 - 1;

/** Whether the rollout has got through, or the failure when its deadline has passed. */
function progressOf(object: object): boolean | Kstatus {
  const conditions = conditionsOf(object).filter(({ type }) => type === "Progressing");
  const exceeded = conditions.find(({ reason }) => reason === "ProgressDeadlineExceeded");
  if (exceeded !== undefined) return failed(exceeded.reason, "Progress deadline exceeded");
  if ((intAt(object, "spec.progressDeadlineSeconds") ?? noDeadline) === noDeadline) return true;
  return conditions.some(({ status, reason }) => status === "True" && reason === "NewReplicaSetAvailable");
}
