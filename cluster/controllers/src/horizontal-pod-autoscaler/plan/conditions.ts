import { findCondition, formatTime, type DeepReadonly } from "@kedge/machinery";
import type { HorizontalPodAutoscalerCondition } from "@kedge/machinery/kinds/autoscaling/v2";

/** What is said of an autoscaler, without the time. */
export interface NewCondition {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

type Condition = DeepReadonly<HorizontalPodAutoscalerCondition>;

/** The list with these in it, one after the other; a transition time changes only with the status. */
export function putConditions(
  conditions: readonly Condition[],
  next: readonly NewCondition[],
  now: number,
): readonly Condition[] {
  return next.reduce((list, each) => putCondition(list, each, now), conditions);
}

function putCondition(
  conditions: readonly Condition[],
  next: NewCondition,
  now: number,
): readonly Condition[] {
  const known = findCondition(conditions, next.type);
  const time = known?.status === next.status ? known.lastTransitionTime : undefined;
  const condition: Condition = { ...next, lastTransitionTime: time ?? formatTime(now) };
  if (known === undefined) return [...conditions, condition];
  return conditions.map((each) => (each === known ? condition : each));
}
