import type { Condition, ConditionStatus } from "@kedge/machinery";
import type { Definition } from "./definition.ts";

/** The conditions of a definition with nothing missing. */
export function conditionsOf({ status }: Definition): readonly Condition[] {
  return (status?.conditions ?? []).map((condition) => ({
    type: condition.type ?? "",
    status: statusOf(condition.status ?? ""),
    lastTransitionTime: condition.lastTransitionTime ?? "",
    reason: condition.reason ?? "",
    message: condition.message ?? "",
    ...(condition.observedGeneration !== undefined && { observedGeneration: condition.observedGeneration }),
  }));
}

function statusOf(text: string): ConditionStatus {
  return text === "True" || text === "False" ? text : "Unknown";
}
