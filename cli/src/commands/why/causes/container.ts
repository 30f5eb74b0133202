import type { DeepReadonly } from "@kedge/machinery";
import type { ContainerStatus, Pod } from "@kedge/machinery/kinds/core/v1";
import { ageText } from "../../../age-text.ts";
import { inNamespace, type Cause } from "../cause.ts";
import { oneLine, type Situation } from "../situation.ts";
import { evidenceOf } from "./claim.ts";

type Status = DeepReadonly<ContainerStatus>;
const imageReasons = new Set(["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull"]);
/** Seconds that a container may take to start before that is worth a word. */
const patience = 10;

/** What holds the first container up that is held up: init containers come first. */
export function containerCauses(pod: DeepReadonly<Pod>, situation: Situation): readonly Cause[] {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  for (const status of initContainerStatuses) {
    if (status.state?.terminated?.exitCode === 0 || status.ready) continue;
    const cause = notRunning(pod, status, situation) ?? stillRunning(pod, status, situation);
    return cause === undefined ? [] : [cause];
  }
  for (const status of containerStatuses) {
    if (status.ready) continue;
    const cause = notRunning(pod, status, situation) ?? notReady(pod, status, situation);
    if (cause !== undefined) return [cause];
  }
  return [];
}

function notRunning(pod: DeepReadonly<Pod>, status: Status, situation: Situation): Cause | undefined {
  const about = { kind: "Pod", metadata: pod.metadata };
  const { waiting, terminated } = status.state ?? {};
  const ended = terminated ?? status.lastState?.terminated;
  const reason = waiting?.reason ?? "";
  if (imageReasons.has(reason))
    return {
      about,
      says: `has no image for container ${status.name}: ${oneLine(waiting?.message ?? status.image)}`,
      evidence: [`${reason}: ${status.image}`],
      fix: `kedge image load FILE.tar --name ${status.image}, or name an image that can be had in what made the pod`,
    };
  if (ended !== undefined && ended.exitCode !== 0 && (waiting !== undefined || terminated !== undefined))
    return crashed(pod, status, ended);
  if (reason === "ContainerCreating" || reason === "PodInitializing" || reason === "") {
    if (waiting === undefined) return undefined;
    return notCreated(pod, status, situation);
  }
  return {
    about,
    says: `cannot start container ${status.name}: ${oneLine(waiting?.message ?? reason)}`,
    evidence: [reason],
    fix: missingFix(waiting?.message ?? "", pod),
  };
}

function crashed(
  pod: DeepReadonly<Pod>,
  status: Status,
  ended: NonNullable<NonNullable<Status["state"]>["terminated"]>,
): Cause {
  const about = { kind: "Pod", metadata: pod.metadata };
  const namespace = pod.metadata.namespace ?? "default";
  const previous = status.state?.terminated === undefined;
  const log = { namespace, pod: pod.metadata.name, container: status.name, previous };
  const command = `kubectl logs ${pod.metadata.name} -c ${status.name}${previous ? " --previous" : ""}${inNamespace(pod)}`;
  if (ended.reason === "OOMKilled")
    return {
      about,
      says: `ran out of memory in container ${status.name}, ${times(status.restartCount + 1)}`,
      evidence: [`OOMKilled; limit ${limitOf(pod, status.name)}`],
      fix: "raise resources.limits.memory in what made the pod, or make the program need less",
      log,
    };
  return {
    about,
    says: `crashes: container ${status.name} ended with ${ended.signal ? `signal ${ended.signal}` : `code ${ended.exitCode}`}, ${times(status.restartCount + 1)}${ended.message ? `: ${oneLine(ended.message, 160)}` : ""}`,
    fix: command,
    log,
  };
}

/** It waits for something before it can be made. */
function notCreated(pod: DeepReadonly<Pod>, status: Status, situation: Situation): Cause | undefined {
  const about = { kind: "Pod", metadata: pod.metadata };
  const reasons = [
    "FailedMount",
    "FailedAttachVolume",
    "FailedMapVolume",
    "FailedCreatePodSandBox",
    "Failed",
  ];
  const failed = situation.warning(pod, ...reasons);
  if (failed !== undefined)
    return {
      about,
      says: `cannot start: ${failed.message}`,
      evidence: [evidenceOf(failed)],
      fix: missingFix(failed.message, pod),
    };
  const waits = situation.since(pod.status?.startTime ?? pod.metadata.creationTimestamp);
  if (waits < patience) return undefined;
  return { about, says: `has been starting container ${status.name} for ${ageText(waits)}` };
}

function stillRunning(pod: DeepReadonly<Pod>, status: Status, situation: Situation): Cause | undefined {
  const started = status.state?.running?.startedAt;
  if (started === undefined) return undefined;
  const namespace = pod.metadata.namespace ?? "default";
  return {
    about: { kind: "Pod", metadata: pod.metadata },
    says: `waits for its init container ${status.name}, which has run for ${ageText(situation.since(started))}`,
    fix: `kubectl logs ${pod.metadata.name} -c ${status.name}${inNamespace(pod)}`,
    log: { namespace, pod: pod.metadata.name, container: status.name, previous: false },
  };
}

/** It runs, and its probes say that it is not ready. */
function notReady(pod: DeepReadonly<Pod>, status: Status, situation: Situation): Cause | undefined {
  const about = { kind: "Pod", metadata: pod.metadata };
  const namespace = pod.metadata.namespace ?? "default";
  const failed = situation.warning(pod, "Unhealthy", "ProbeWarning");
  const started = status.state?.running?.startedAt;
  const runs = `container ${status.name} has run for ${ageText(situation.since(started))}`;
  return {
    about,
    says:
      failed === undefined
        ? `is not ready yet: ${runs}`
        : `is not ready: ${failed.message || "a probe fails"}`,
    evidence: failed === undefined ? [] : [`${evidenceOf(failed)}; ${runs}`],
    fix: `kubectl logs ${pod.metadata.name} -c ${status.name}${inNamespace(pod)}`,
    log: { namespace, pod: pod.metadata.name, container: status.name, previous: false },
  };
}

/** `secret "web" not found` is repaired by making it. */
function missingFix(message: string, pod: DeepReadonly<Pod>): string {
  const [, type, name] = /\b(secret|configmap|serviceaccount) "([^"]+)" not found/u.exec(message) ?? [];
  const where = inNamespace(pod);
  const describe = `kubectl describe pod ${pod.metadata.name}${where}`;
  if (type === undefined || name === undefined) return describe;
  const bare = name.split("/").at(-1) ?? name;
  if (type === "serviceaccount") return `kubectl create serviceaccount ${bare}${where}`;
  return `kubectl create ${type === "secret" ? "secret generic" : "configmap"} ${bare}${where} --from-literal=KEY=VALUE`;
}

function limitOf(pod: DeepReadonly<Pod>, name: string): string {
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const limits = all.find((each) => each.name === name)?.resources?.limits;
  return limits?.["memory"] ?? "none of its own";
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
