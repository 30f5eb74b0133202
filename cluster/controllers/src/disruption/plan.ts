import {
  formatTime,
  parseTime,
  resolveIntOrPercent,
  setCondition,
  type Condition,
  type DeepReadonly,
} from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "@kedge/machinery/kinds/policy/v1";
import { isReady, isTerminating } from "../pods/pod-state.ts";

type Budget = DeepReadonly<PodDisruptionBudget>;
type AnyPod = DeepReadonly<Pod>;

/** A pod that was to be evicted and is not being deleted after so long will not be any more. */
const deletionTimeoutMs = 120_000;

/** What a budget is counted from. */
export interface BudgetFacts {
  readonly budget: Budget;
  /** Those that its selector selects. */
  readonly pods: readonly AnyPod[];
  /** How many there should be, by the sizes of their owners. Asked for only when `needsScale` says so. */
  readonly scale: number;
  readonly now: number;
}

/** What is to be said of a budget. */
export interface BudgetReport {
  readonly status: PodDisruptionBudgetStatus;
  /** Pods that were to be evicted and still run. */
  readonly notDeleted: readonly AnyPod[];
  /** When it changes by the passing of time alone, in milliseconds. */
  readonly lookAgainAfter: number | undefined;
}

/** Whether a budget is a part of what its pods' owners want, and not a plain number of pods. */
export function needsScale({ spec }: Budget): boolean {
  return spec.maxUnavailable !== undefined || typeof spec.minAvailable === "string";
}

/** Counts a budget's pods: how many are healthy, how many must be, and how many may go now. */
export function reportBudget(facts: BudgetFacts): BudgetReport {
  const { budget, pods, now } = facts;
  const { expectedPods, desiredHealthy } = expectation(facts);
  const { disruptedPods, notDeleted, lookAgainAfter } = onTheirWay(facts);
  const currentHealthy = pods.filter(
    (pod) => !isTerminating(pod) && disruptedPods[pod.metadata.name] === undefined && isReady(pod),
  ).length;
  // A budget that selects no pods yet allows nothing: its first pods may be there before they are counted.
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const observedGeneration = budget.metadata.generation;
  const verdict = {
    ...(disruptionsAllowed > 0
      ? ({ status: "True", reason: "SufficientPods" } as const)
      : ({ status: "False", reason: "InsufficientPods" } as const)),
    message: "",
  };
  return {
    status: {
      currentHealthy,
      desiredHealthy,
      expectedPods,
      disruptionsAllowed,
      ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
      observedGeneration,
      conditions: withVerdict(budget, { ...verdict, observedGeneration }, now),
    },
    notDeleted,
    lookAgainAfter,
  };
}

/** What is said of a budget that cannot be counted: nothing may go. */
export function reportFailure(budget: Budget, failure: Error, now: number): PodDisruptionBudgetStatus {
  const { conditions: _, disruptedPods, ...status } = budget.status ?? {};
  const { observedGeneration } = status;
  const message = failure.message;
  const verdict = { status: "False", reason: "SyncFailed", message, observedGeneration } as const;
  return {
    ...status,
    ...(disruptedPods !== undefined && { disruptedPods: { ...disruptedPods } }),
    disruptionsAllowed: 0,
    conditions: withVerdict(budget, verdict, now),
  };
}

function expectation({ budget, pods, scale }: BudgetFacts): { expectedPods: number; desiredHealthy: number } {
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) {
    const unavailable = resolveIntOrPercent(maxUnavailable, scale, "up");
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - unavailable) };
  }
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  if (typeof minAvailable === "number") return { expectedPods: pods.length, desiredHealthy: minAvailable };
  return { expectedPods: scale, desiredHealthy: resolveIntOrPercent(minAvailable, scale, "up") };
}

interface OnTheirWay extends Omit<BudgetReport, "status"> {
  readonly disruptedPods: Record<string, string>;
}

/** Pods whose eviction was allowed and whose deletion is not seen yet do not count as healthy. */
function onTheirWay({ budget, pods, now }: BudgetFacts): OnTheirWay {
  const disruptedPods: Record<string, string> = {};
  const notDeleted: AnyPod[] = [];
  let next = Infinity;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const since = budget.status?.disruptedPods?.[name];
    if (since === undefined || isTerminating(pod)) continue;
    const end = parseTime(since) + deletionTimeoutMs;
    if (end < now) notDeleted.push(pod);
    else {
      disruptedPods[name] = since;
      next = Math.min(next, end);
    }
  }
  const lookAgainAfter = next === Infinity ? undefined : next - now + 1;
  return { disruptedPods, notDeleted, lookAgainAfter };
}

type Verdict = Omit<Condition, "type" | "lastTransitionTime">;

function withVerdict({ status }: Budget, verdict: Verdict, now: number): Condition[] {
  const before = (status?.conditions ?? []).map((condition): Condition => ({
    ...condition,
    status: condition.status === "True" ? "True" : condition.status === "False" ? "False" : "Unknown",
    lastTransitionTime: condition.lastTransitionTime ?? formatTime(now),
    reason: condition.reason,
    message: condition.message,
  }));
  return [...setCondition(before, { type: "DisruptionAllowed", ...verdict }, { now: () => now })];
}
