import type { DeepReadonly } from "@kedge/machinery";
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "@kedge/machinery/kinds/autoscaling/v2";

/** What an autoscaler did and recommended lately. Times are milliseconds of a clock that never goes back. */
export interface History {
  /** What the metrics recommended, before it was limited. */
  readonly recommendations: readonly Recommendation[];
  readonly ups: readonly Change[];
  readonly downs: readonly Change[];
}

/** A number of replicas that was right at a time. */
export interface Recommendation {
  readonly replicas: number;
  readonly time: number;
}

/** So many replicas came, or went, at a time. */
export interface Change {
  readonly count: number;
  readonly time: number;
}

/** How a history begins: with the size that was found. */
export function newHistory(replicas: number, time: number): History {
  return { recommendations: [{ replicas, time }], ups: [], downs: [] };
}

/** With another recommendation, in the place of one that is older than `since`. */
export function withRecommendation(history: History, next: Recommendation, since: number): History {
  return {
    ...history,
    recommendations: put(history.recommendations, next, (each) => each.time < since),
  };
}

/** With a change of size, in the place of one that no policy asks for any more. Without behavior nobody asks. */
export function withChange(
  history: History,
  { from, to, time }: { readonly from: number; readonly to: number; readonly time: number },
  behavior: DeepReadonly<HorizontalPodAutoscalerBehavior> | undefined,
): History {
  if (behavior === undefined) return history;
  const field = to > from ? "ups" : "downs";
  const since = time - longestPeriod(to > from ? behavior.scaleUp : behavior.scaleDown);
  const change = { count: Math.abs(to - from), time };
  return { ...history, [field]: put(history[field], change, (each) => each.time < since) };
}

/** How many came or went within so many milliseconds. */
export function changedWithin(changes: readonly Change[], period: number, now: number): number {
  return changes.filter(({ time }) => time > now - period).reduce((sum, { count }) => sum + count, 0);
}

function longestPeriod(rules: DeepReadonly<HPAScalingRules> | undefined): number {
  return Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds * 1000));
}

function put<T>(list: readonly T[], next: T, isOld: (each: T) => boolean): readonly T[] {
  const place = list.findLastIndex(isOld);
  return place < 0 ? [...list, next] : list.with(place, next);
}
