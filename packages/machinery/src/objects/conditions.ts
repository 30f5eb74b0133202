import type { Clock } from "../time/clock.ts";
import type { Time } from "./metadata.ts";
import { formatTime } from "./time.ts";

/** Whether a condition holds; Unknown when it could not be found out. */
export type ConditionStatus = "True" | "False" | "Unknown";

/** One thing that is said of an object in its status, in the form that all newer kinds share. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** The generation of the object that this was found out of. */
  observedGeneration?: number | undefined;
  /** When `status` last changed. */
  lastTransitionTime: Time;
  /** Why, as one CamelCase word for programs. */
  reason: string;
  /** Why, for people; may be empty. */
  message: string;
}

/** What `setCondition` is told: the time is not for the caller to say. */
export type ConditionUpdate = Omit<Condition, "lastTransitionTime">;

/**
 * The list with this condition in it, in the place where it was, else at the end. The transition time changes only with
 * `status`. When nothing changes the very same list comes back.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  update: ConditionUpdate,
  clock: Pick<Clock, "now">,
): readonly Condition[] {
  const old = findCondition(conditions, update.type);
  if (conditions === undefined || old === undefined) {
    return [...(conditions ?? []), withTime(update, formatTime(clock.now()))];
  }
  if (saysTheSame(old, update)) return conditions;
  const time = old.status === update.status ? old.lastTransitionTime : formatTime(clock.now());
  const changed = withTime(update, time);
  return conditions.map((condition) => (condition === old ? changed : condition));
}

/** The condition of that type. */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of that type is there and holds. */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** The list without the condition of that type; the very same list when there is none. */
export function removeCondition<C extends { readonly type: string }>(
  conditions: readonly C[],
  type: string,
): readonly C[] {
  return findCondition(conditions, type) === undefined
    ? conditions
    : conditions.filter((condition) => condition.type !== type);
}

function saysTheSame(old: Condition, update: ConditionUpdate): boolean {
  return (
    old.status === update.status &&
    old.reason === update.reason &&
    old.message === update.message &&
    old.observedGeneration === update.observedGeneration
  );
}

/** Built key by key, so that what else the caller's object holds stays out of the status. */
function withTime(update: ConditionUpdate, lastTransitionTime: Time): Condition {
  const { type, status, observedGeneration, reason, message } = update;
  return {
    type,
    status,
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime,
    reason,
    message,
  };
}
