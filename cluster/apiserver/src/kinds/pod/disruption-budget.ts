import {
  findCondition,
  forbidden,
  formatTime,
  selectorFromLabelSelector,
  selectorMatches,
  statusFailure,
  type StatusError,
} from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Condition } from "@kedge/machinery/kinds/meta/v1";
import { PodDisruptionBudget, type PodDisruptionBudgetStatus } from "@kedge/machinery/kinds/policy/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { labelSelectorOf, labelsOf } from "../../registry/label-selector.ts";
import type { ApiObject, StoredApiObject } from "../../registry/types.ts";

/** So many evictions may be on their way that the controller has not counted yet. */
const mostDisrupted = 2000;

/** Whether a pod may go whatever budgets say: it serves nobody yet, or not any more. */
export function isBeyondBudgets(pod: StoredApiObject): boolean {
  const { phase } = decodedAs(Pod, pod).status ?? {};
  return phase === "Pending" || isEnding(pod);
}

/** Whether it has ended, or is about to. */
export function isEnding(pod: StoredApiObject): boolean {
  const { phase } = decodedAs(Pod, pod).status ?? {};
  return phase === "Succeeded" || phase === "Failed" || pod.metadata.deletionTimestamp !== undefined;
}

/** Whether a budget is about a pod of its namespace. One without a selector is about none. */
export function coversPod(budget: StoredApiObject, pod: StoredApiObject): boolean {
  const { spec } = decodedAs(PodDisruptionBudget, budget);
  try {
    const selector = selectorFromLabelSelector(labelSelectorOf(spec?.selector));
    return selectorMatches(selector, labelsOf(pod.metadata.labels));
  } catch {
    return false;
  }
}

/** Whether a pod that is not ready may go without being counted: it is not one of those that the budget counts on. */
export function sparesUnhealthy(budget: StoredApiObject, pod: StoredApiObject): boolean {
  if (findCondition(conditionsOf(decodedAs(Pod, pod).status), "Ready")?.status === "True") return false;
  const { spec, status = {} } = decodedAs(PodDisruptionBudget, budget);
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** Counts an eviction in a budget's status, in place. Throws when the budget does not allow one now. */
export function countEviction(budget: ApiObject, podName: string, now: number): void {
  const name = budget.metadata.name ?? "";
  const status = (decodedAs(PodDisruptionBudget, budget).status ??= {});
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) throw notYetProcessed(name);
  const allowed = status.disruptionsAllowed ?? 0;
  // In the singular: Kubernetes has it so.
  const resource = { group: PodDisruptionBudget.group, plural: "poddisruptionbudget" };
  if (allowed < 0) throw forbidden(resource, name, "pdb disruptions allowed is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > mostDisrupted) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    throw forbidden(resource, name, why);
  }
  if (allowed === 0) throw refused(whyNone(name, status));
  status.disruptionsAllowed = allowed - 1;
  if (allowed === 1) status.conditions = withoutMoreAllowed(status, now);
  status.disruptedPods = { ...status.disruptedPods, [podName]: formatTime(now) };
}

/** 429: the budget's status is not that of its spec, or not that of the pod, yet. */
export function notYetProcessed(name: string): StatusError {
  return refused(`The disruption budget ${name} is still being processed by the server.`, 10);
}

function refused(why: string, retryAfterSeconds = 0): StatusError {
  return statusFailure({
    code: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: "DisruptionBudget", message: why }], retryAfterSeconds },
  });
}

function whyNone(name: string, status: Decoded<PodDisruptionBudgetStatus>): string {
  const { currentHealthy = 0, desiredHealthy = 0, conditions } = status;
  const condition = conditions?.find(({ type }) => type === "DisruptionAllowed");
  const { reason = "", message = "" } = condition?.status === "False" ? condition : {};
  const none = `The disruption budget ${name} does not allow evicting pods currently`;
  // Counts are not to be trusted when they could not be made.
  if (reason === "SyncFailed" && message !== "") return `${none} because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return message === "" ? none : `${none} (${reason}): ${message}`;
}

function withoutMoreAllowed(
  { conditions = [], observedGeneration }: Decoded<PodDisruptionBudgetStatus>,
  now: number,
): Decoded<Condition>[] {
  const before = conditions.find(({ type }) => type === "DisruptionAllowed");
  const kept = before?.status === "False" ? before.lastTransitionTime : undefined;
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    lastTransitionTime: kept ?? formatTime(now),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
  if (before === undefined) return [...conditions, condition];
  return conditions.map((each) => (each === before ? condition : each));
}

function conditionsOf(status: Decoded<Pod["status"]>): readonly { type: string; status: string }[] {
  return (status?.conditions ?? []).map(({ type = "", status: is = "" }) => ({ type, status: is }));
}
