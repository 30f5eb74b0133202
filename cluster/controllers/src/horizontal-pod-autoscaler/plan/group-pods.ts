import { findCondition, parseTime, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { isTerminating } from "../../pods/pod-state.ts";
import type { HorizontalPodAutoscalerOptions } from "../options.ts";
import type { PodAmount, PodAmounts } from "./amounts.ts";

type AnyPod = DeepReadonly<Pod>;

/** The pods of a target, by what their amounts are good for. */
export interface PodGroups {
  /** How many count fully. */
  readonly readyCount: number;
  /** Have begun, but not yet to work: what they use says nothing. */
  readonly unready: readonly string[];
  /** Nothing was measured of these. */
  readonly missing: readonly string[];
  /** On their way out. */
  readonly ignored: readonly string[];
}

/** What the groups depend on. */
export interface PodView {
  readonly pods: readonly AnyPod[];
  /** Milliseconds. */
  readonly now: number;
  readonly options: Pick<HorizontalPodAutoscalerOptions, "cpuInitializationPeriod" | "initialReadinessDelay">;
}

/** Groups pods. Only of the processor does a beginning pod use more than its work needs. */
export function groupPods(view: PodView, amounts: PodAmounts, resource: string): PodGroups {
  const unready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  let readyCount = 0;
  for (const pod of view.pods) {
    const { name } = pod.metadata;
    const amount = amounts.get(name);
    if (isTerminating(pod) || pod.status?.phase === "Failed") ignored.push(name);
    else if (pod.status?.phase === "Pending") unready.push(name);
    else if (amount === undefined) missing.push(name);
    else if (resource === "cpu" && isBeginning(pod, amount, view)) unready.push(name);
    else readyCount++;
  }
  return { readyCount, unready, missing, ignored };
}

function isBeginning({ status }: AnyPod, amount: PodAmount, { now, options }: PodView): boolean {
  const ready = findCondition(status?.conditions, "Ready");
  if (ready === undefined || status?.startTime === undefined) return true;
  const started = parseTime(status.startTime);
  const changed = ready.lastTransitionTime === undefined ? 0 : parseTime(ready.lastTransitionTime);
  if (started + options.cpuInitializationPeriod > now)
    return ready.status === "False" || amount.time < changed + amount.window;
  return ready.status === "False" && started + options.initialReadinessDelay > changed;
}
