import type { ContainerStatus } from "@kedge/machinery/kinds/core/v1";
import { containersOf, initContainersOf, isSidecar, restarts } from "../model/spec-of.ts";
import type { ApiPod, ContainerDefinition } from "../model/types.ts";

/** Where a pod is in its life. */
export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

/** Whether a phase is the last one. */
export function isFinal(phase: string | undefined): phase is "Succeeded" | "Failed" {
  return phase === "Succeeded" || phase === "Failed";
}

/** A pod's phase by the rules of the kubelet. `ended`: nothing of it is started again. */
export function phaseOf(
  pod: ApiPod,
  statuses: { readonly init: readonly ContainerStatus[]; readonly main: readonly ContainerStatus[] },
  ended: boolean,
): Phase {
  const init = initContainersOf(pod).map((container) => pair(container, statuses.init));
  const main = containersOf(pod).map((container) => pair(container, statuses.main));
  const begun = main.some(({ status }) => status?.containerID !== undefined);
  if (init.some((one) => !isSidecar(one.container) && hasFailedForGood(pod, one))) return "Failed";
  const initPends = init.some((one) =>
    isSidecar(one.container) ? !begun && sidecarPends(one) : plainPends(one),
  );
  if (initPends || main.some(neverRan)) return "Pending";
  const sidecarRuns = init.some(({ container, status }) => isSidecar(container) && status?.state?.running);
  if (sidecarRuns || main.some(({ status }) => status?.state?.running !== undefined)) return "Running";
  if (!ended && main.some((one) => restarts(pod, one.container, exitCodeOf(one) ?? 0))) return "Running";
  return main.every((one) => exitCodeOf(one) === 0) ? "Succeeded" : "Failed";
}

interface Pair {
  readonly container: ContainerDefinition;
  readonly status: ContainerStatus | undefined;
}

function pair(container: ContainerDefinition, statuses: readonly ContainerStatus[]): Pair {
  return { container, status: statuses.find(({ name }) => name === container.name) };
}

function hasFailedForGood(pod: ApiPod, one: Pair): boolean {
  const code = exitCodeOf(one);
  return code !== undefined && code !== 0 && !restarts(pod, one.container, code);
}

function plainPends({ status }: Pair): boolean {
  const { state, lastState } = status ?? {};
  if (state?.terminated !== undefined) return false;
  return state?.running !== undefined || lastState?.terminated === undefined;
}

function sidecarPends({ status }: Pair): boolean {
  const { state, lastState } = status ?? {};
  if (state?.running !== undefined) return status?.started !== true;
  return state?.terminated === undefined && lastState?.terminated === undefined;
}

function neverRan({ status }: Pair): boolean {
  const { state, lastState } = status ?? {};
  return (
    state?.running === undefined && state?.terminated === undefined && lastState?.terminated === undefined
  );
}

/** Of its last end; undefined while it runs for the first time or has not yet run. */
function exitCodeOf({ status }: Pair): number | undefined {
  return (status?.state?.terminated ?? status?.lastState?.terminated)?.exitCode;
}
