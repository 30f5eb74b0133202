import { parseTime } from "@kedge/machinery";
import type { ContainerStatus, Pod } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";

/** What one line says of a pod's containers. */
export interface PodSummary {
  readonly reason: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** Milliseconds since 1970 of the last restart; undefined when there was none. */
  readonly lastRestart: number | undefined;
}

type SentPod = Decoded<Pod>;
type SentStatus = Decoded<ContainerStatus>;

/** Sums up a pod: the reason of the first container in trouble wins over the phase. */
export function podSummary(pod: SentPod): PodSummary {
  const { reason, ready, initializing, restarts } = initSummary(pod, ownReason(pod));
  const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar).length;
  const total = (pod.spec?.containers ?? []).length + sidecars;
  const main =
    initializing && !hasCondition(pod, "Initialized")
      ? { reason, ready: 0, restarts: restarts.all }
      : mainSummary(pod, reason, restarts.sidecars);
  return {
    reason: deletionReason(pod) ?? main.reason,
    ready: ready + main.ready,
    total,
    restarts: main.restarts.count,
    lastRestart: main.restarts.last,
  };
}

function ownReason({ status }: SentPod): string {
  const gated = status?.conditions?.some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  if (gated === true) return "SchedulingGated";
  const reason = status?.reason ?? "";
  return reason === "" ? (status?.phase ?? "") : reason;
}

function deletionReason({ metadata, status }: SentPod): string | undefined {
  if (metadata?.deletionTimestamp === undefined) return undefined;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? undefined : "Terminating";
}

interface Restarts {
  readonly count: number;
  readonly last: number | undefined;
}

const noRestarts: Restarts = { count: 0, last: undefined };

function addRestarts(sum: Restarts, { restartCount = 0, lastState }: SentStatus): Restarts {
  const finished = lastState?.terminated?.finishedAt;
  const time = finished === undefined || finished === null ? undefined : parseTime(finished);
  const isLater = time !== undefined && (sum.last === undefined || time > sum.last);
  return { count: sum.count + restartCount, last: isLater ? time : sum.last };
}

interface InitSummary {
  readonly reason: string;
  readonly ready: number;
  readonly initializing: boolean;
  readonly restarts: { readonly all: Restarts; readonly sidecars: Restarts };
}

function initSummary(pod: SentPod, reason: string): InitSummary {
  const containers = pod.spec?.initContainers ?? [];
  const sidecarNames = new Set(containers.filter(isSidecar).map(({ name }) => name));
  let [all, sidecars, ready] = [noRestarts, noRestarts, 0];
  for (const [index, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecarNames.has(status.name);
    all = addRestarts(all, status);
    if (sidecar) sidecars = addRestarts(sidecars, status);
    if (status.state?.terminated?.exitCode === 0) continue;
    if (sidecar && status.started === true) {
      if (status.ready === true) ready++;
      continue;
    }
    const trouble = initTrouble(status) ?? `${index}/${containers.length}`;
    return { reason: `Init:${trouble}`, ready, initializing: true, restarts: { all, sidecars } };
  }
  return { reason, ready, initializing: false, restarts: { all, sidecars } };
}

function initTrouble({ state }: SentStatus): string | undefined {
  if (state?.terminated !== undefined) return terminatedReason(state.terminated);
  const waiting = state?.waiting?.reason ?? "";
  return waiting === "" || waiting === "PodInitializing" ? undefined : waiting;
}

function terminatedReason({
  reason = "",
  signal = 0,
  exitCode = 0,
}: {
  readonly reason?: string | undefined;
  readonly signal?: number | undefined;
  readonly exitCode?: number | undefined;
}): string {
  if (reason !== "") return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

function mainSummary(pod: SentPod, initial: string, sidecars: Restarts) {
  let [reason, restarts, ready, failure, running] = [initial, sidecars, 0, "", false];
  for (const status of (pod.status?.containerStatuses ?? []).toReversed()) {
    restarts = addRestarts(restarts, status);
    const { waiting, terminated } = status.state ?? {};
    if (waiting?.reason !== undefined && waiting.reason !== "") reason = waiting.reason;
    else if (terminated !== undefined) {
      reason = terminatedReason(terminated);
      if ((terminated.exitCode ?? 0) !== 0) failure = reason;
    } else if (status.ready === true && status.state?.running !== undefined) {
      running = true;
      ready++;
    }
  }
  // A pod that has finished in part is still what its other containers make it.
  if (reason === "Completed") {
    if (running && hasCondition(pod, "Ready")) reason = "Running";
    else if (failure !== "") reason = failure;
    else if (running) reason = "NotReady";
  }
  return { reason, restarts, ready };
}

function isSidecar({ restartPolicy }: { readonly restartPolicy?: string | undefined }): boolean {
  return restartPolicy === "Always";
}

function hasCondition({ status }: SentPod, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === "True") === true;
}
