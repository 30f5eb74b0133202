import type { DeepReadonly } from "@kedge/machinery";
import type { HorizontalPodAutoscalerBehavior } from "@kedge/machinery/kinds/autoscaling/v2";
import type { NewCondition } from "./conditions.ts";
import { withRecommendation, type History } from "./history.ts";
import { limit, limitByRates, type Limited, type Wish } from "./limits.ts";

/** What the metrics want, and what it is seen against. */
export interface Normalization {
  readonly wish: Wish;
  readonly behavior: DeepReadonly<HorizontalPodAutoscalerBehavior> | undefined;
  readonly history: History;
  /** Milliseconds for which nothing is scaled below a recommendation, where behavior does not say. */
  readonly downscaleStabilization: number;
  /** On the history's clock. */
  readonly now: number;
}

/** What is to be done of it. */
export interface Normalized {
  readonly replicas: number;
  readonly conditions: readonly NewCondition[];
  readonly history: History;
}

/** Steadies what the metrics want by what they wanted lately, then keeps it within limits. */
export function normalize(normalization: Normalization): Normalized {
  const { wish, behavior, history, now } = normalization;
  const stable = behavior === undefined ? steady(normalization) : steadyByWindows(normalization);
  const stabilized = { ...wish, desired: stable.replicas };
  const limited =
    behavior === undefined
      ? limit(stabilized)
      : limitByRates(stabilized, {
          up: behavior.scaleUp ?? {},
          down: behavior.scaleDown ?? {},
          history,
          now,
        });
  return {
    replicas: limited.replicas,
    conditions: [steadiness(stable, wish), limitedness(limited, stable.replicas)],
    history: withRecommendation(history, { replicas: wish.desired, time: now }, stable.since),
  };
}

interface Steadied {
  readonly replicas: number;
  /** Why, should it be another number than the metrics want. */
  readonly direction: "Up" | "Down";
  /** Recommendations before are not needed any more. */
  readonly since: number;
}

/** Not below the highest recommendation of a while. */
function steady({ wish, history, downscaleStabilization, now }: Normalization): Steadied {
  const since = now - downscaleStabilization;
  const recent = history.recommendations.filter(({ time }) => time >= since);
  const replicas = Math.max(wish.desired, ...recent.map((each) => each.replicas));
  return { replicas, direction: "Down", since };
}

/** Not above the lowest recommendation of one window, nor below the highest of the other. */
function steadyByWindows(normalization: Normalization): Steadied {
  const { wish, behavior, history, downscaleStabilization, now } = normalization;
  const downSeconds = behavior?.scaleDown?.stabilizationWindowSeconds;
  const upSince = now - (behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
  const downSince = now - (downSeconds === undefined ? downscaleStabilization : downSeconds * 1000);
  const after = (since: number): readonly number[] =>
    history.recommendations.filter(({ time }) => time > since).map(({ replicas }) => replicas);
  const lowest = Math.min(wish.desired, ...after(upSince));
  const highest = Math.max(wish.desired, ...after(downSince));
  return {
    replicas: Math.min(Math.max(wish.current, lowest), highest),
    direction: wish.desired >= wish.current ? "Up" : "Down",
    since: Math.min(upSince, downSince),
  };
}

function steadiness({ replicas, direction }: Steadied, { desired }: Wish): NewCondition {
  const able = { type: "AbleToScale", status: "True" } as const;
  if (replicas === desired)
    return { ...able, reason: "ReadyForNewScale", message: "recommended size matches current size" };
  const [were, applied] = direction === "Up" ? ["lower", "lowest"] : ["higher", "highest"];
  return {
    ...able,
    reason: `Scale${direction}Stabilized`,
    message: `recent recommendations were ${were} than current one, applying the ${applied} recent recommendation`,
  };
}

function limitedness({ replicas, reason, message }: Limited, stable: number): NewCondition {
  return { type: "ScalingLimited", status: replicas === stable ? "False" : "True", reason, message };
}
