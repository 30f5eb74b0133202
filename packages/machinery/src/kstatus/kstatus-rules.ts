import type { Clock } from "../time/clock.ts";
import { conditionsOf, intAt, listAt, stringAt } from "./kstatus-fields.ts";
import { current, failed, inProgress, type Kstatus } from "./kstatus-result.ts";
import { daemonSet, deployment, replicaSet, statefulSet } from "./kstatus-workloads.ts";

/** Says how far along an object of one kind is. */
export type KstatusRule = (object: object, clock: Pick<Clock, "now">) => Kstatus;

/** The rule of an object's kind, whatever its version; undefined for a kind without one. */
export function ruleOf(object: object): KstatusRule | undefined {
  const [version = "", ...rest] = (stringAt(object, "apiVersion") ?? "").split("/");
  const kind = stringAt(object, "kind") ?? "";
  return rules.get(rest.length === 0 ? kind : `${version}/${kind}`);
}

const alwaysReady = (): Kstatus => current("Resource is always ready");

const rules: ReadonlyMap<string, KstatusRule> = new Map<string, KstatusRule>([
  ["Pod", pod],
  ["Service", service],
  ["PersistentVolumeClaim", persistentVolumeClaim],
  ["ConfigMap", alwaysReady],
  ["Secret", alwaysReady],
  ["apps/StatefulSet", statefulSet],
  ["apps/DaemonSet", daemonSet],
  ["apps/Deployment", deployment],
  ["apps/ReplicaSet", replicaSet],
  ["policy/PodDisruptionBudget", () => current("AllowedDisruptions has been computed.")],
  ["batch/CronJob", alwaysReady],
  ["batch/Job", job],
  ["apiextensions.k8s.io/CustomResourceDefinition", customResourceDefinition],
]);

/** How long a pod may wait for a node before that counts as a failure. */
const scheduleWindowMs = 15_000;

function pod(object: object, clock: Pick<Clock, "now">): Kstatus {
  const phase = stringAt(object, "status.phase") ?? "";
  switch (phase) {
    case "Succeeded":
      return current("Pod has completed successfully");
    case "Failed":
      return current("Pod has completed, but not successfully");
    case "Running":
      return runningPod(object);
    case "Pending":
      return pendingPod(object, clock);
    case "":
      return inProgress("PodNotObserved", "Pod phase not available");
    default:
      return { status: "Unknown", reason: "UnknownPhase", message: `unknown phase ${phase}` };
  }
}

function runningPod(object: object): Kstatus {
  if (hasCondition(object, "Ready", "True")) return current("Pod is Ready");
  const crashing = listAt(object, "status.containerStatuses")
    .filter((container) => stringAt(container, "state.waiting.reason") === "CrashLoopBackOff")
    .map((container) => stringAt(container, "name"))
    .filter((name) => name !== undefined);
  if (crashing.length > 0) {
    return failed("ContainerCrashLooping", `Containers in CrashLoop state: ${crashing.join(",")}`);
  }
  return inProgress("PodRunningNotReady", "Pod is running but is not Ready");
}

function pendingPod(object: object, clock: Pick<Clock, "now">): Kstatus {
  const unscheduled = conditionsOf(object).find((c) => c.type === "PodScheduled" && c.status === "False");
  if (unscheduled?.reason !== "Unschedulable") return inProgress("PodPending", "Pod is in the Pending phase");
  const created = Date.parse(stringAt(object, "metadata.creationTimestamp") ?? "");
  return created > clock.now() - scheduleWindowMs
    ? inProgress("PodNotScheduled", "Pod has not been scheduled")
    : failed("PodUnschedulable", "Pod could not be scheduled");
}

function service(object: object): Kstatus {
  const type = stringAt(object, "spec.type");
  if (type === "LoadBalancer" && (stringAt(object, "spec.clusterIP") ?? "") === "") {
    return inProgress("NoIPAssigned", "ClusterIP not set. Service type: LoadBalancer");
  }
  return current("Service is ready");
}

function persistentVolumeClaim(object: object): Kstatus {
  const phase = stringAt(object, "status.phase") ?? "unknown";
  return phase === "Bound"
    ? current("PVC is Bound")
    : inProgress("NotBound", `PVC is not Bound. phase: ${phase}`);
}

/** A job is current as soon as it has started: that it runs is what was asked for. */
function job(object: object): Kstatus {
  const completions = intAt(object, "spec.completions") ?? intAt(object, "spec.parallelism") ?? 1;
  const succeeded = intAt(object, "status.succeeded") ?? 0;
  const failures = intAt(object, "status.failed") ?? 0;
  const active = intAt(object, "status.active") ?? 0;
  for (const { type, status } of conditionsOf(object)) {
    if (status !== "True") continue;
    if (type === "Complete") return current(`Job Completed. succeeded: ${succeeded}/${completions}`);
    if (type === "Failed") return failed("JobFailed", `Job Failed. failed: ${failures}/${completions}`);
  }
  if ((stringAt(object, "status.startTime") ?? "") === "") {
    return inProgress("JobNotStarted", "Job not started");
  }
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${failures}`);
}

function customResourceDefinition(object: object): Kstatus {
  for (const { type, status, reason, message } of conditionsOf(object)) {
    if (type === "NamesAccepted" && status === "False") return failed(reason, message);
    if (type !== "Established") continue;
    if (status === "False" && reason !== "Installing") return failed(reason, message);
    if (status === "True") return current("CRD is established");
  }
  return inProgress("Installing", "Install in progress");
}

function hasCondition(object: object, type: string, status: string): boolean {
  return conditionsOf(object).some((condition) => condition.type === type && condition.status === status);
}
