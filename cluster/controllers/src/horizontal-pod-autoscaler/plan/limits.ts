import type { DeepReadonly } from "@kedge/machinery";
import type { HPAScalingRules } from "@kedge/machinery/kinds/autoscaling/v2";
import { changedWithin, type History } from "./history.ts";

/** A number of replicas within limits, and what limited it. */
export interface Limited {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

/** A size, the one that is wanted, and how small and large it may be. */
export interface Wish {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
}

/** The limits of an autoscaler without behavior: from its least to its most, and not more than twice as many or four at once. */
export function limit({ current, desired, min, max }: Wish): Limited {
  const fastest = Math.max(2 * current, 4);
  if (desired < min) return tooFew(min);
  if (desired > Math.min(max, fastest)) return max > fastest ? tooFast(fastest, "Up") : tooMany(max);
  return inRange(desired);
}

type Rules = DeepReadonly<HPAScalingRules>;

/** How fast a size may change. */
export interface Rates {
  readonly up: Rules;
  readonly down: Rules;
  readonly history: History;
  readonly now: number;
}

/** The limits of an autoscaler with behavior: its policies say how fast. */
export function limitByRates({ current, desired, min, max }: Wish, rates: Rates): Limited {
  if (desired > current) {
    const fastest = Math.max(current, upperLimit(current, rates));
    if (desired > Math.min(max, fastest)) return max > fastest ? tooFast(fastest, "Up") : tooMany(max);
  } else if (desired < current) {
    const fastest = Math.min(current, lowerLimit(current, rates));
    if (desired < Math.max(min, fastest)) return min < fastest ? tooFast(fastest, "Down") : tooFew(min);
  }
  return inRange(desired);
}

function upperLimit(current: number, rates: Rates): number {
  return selected(current, rates.up, {
    proposal: (begin, type, value) =>
      type === "Pods" ? begin + value : Math.ceil(begin * (1 + value / 100)),
    most: Math.max,
    least: Math.min,
    rates,
  });
}

function lowerLimit(current: number, rates: Rates): number {
  return selected(current, rates.down, {
    proposal: (begin, type, value) =>
      type === "Pods" ? begin - value : Math.trunc(begin * (1 - value / 100)),
    most: Math.min,
    least: Math.max,
    rates,
  });
}

interface Selection {
  /** What a policy allows, from the size at the begin of its period. */
  readonly proposal: (begin: number, type: string, value: number) => number;
  /** Which of several is the greatest change, and which the least. */
  readonly most: (...values: number[]) => number;
  readonly least: (...values: number[]) => number;
  readonly rates: Rates;
}

function selected(current: number, { selectPolicy, policies = [] }: Rules, selection: Selection): number {
  if (selectPolicy === "Disabled") return current;
  const { history, now } = selection.rates;
  const allowed = policies.map(({ type, value, periodSeconds }) => {
    const period = periodSeconds * 1000;
    const came = changedWithin(history.ups, period, now);
    const went = changedWithin(history.downs, period, now);
    return selection.proposal(current - came + went, type, value);
  });
  return (selectPolicy === "Min" ? selection.least : selection.most)(...allowed);
}

function inRange(replicas: number): Limited {
  return {
    replicas,
    reason: "DesiredWithinRange",
    message: "the desired count is within the acceptable range",
  };
}

function tooFew(replicas: number): Limited {
  const message = "the desired replica count is less than the minimum replica count";
  return { replicas, reason: "TooFewReplicas", message };
}

function tooMany(replicas: number): Limited {
  const message = "the desired replica count is more than the maximum replica count";
  return { replicas, reason: "TooManyReplicas", message };
}

function tooFast(replicas: number, direction: "Up" | "Down"): Limited {
  const how = direction === "Up" ? "increasing" : "decreasing";
  const message = `the desired replica count is ${how} faster than the maximum scale rate`;
  return { replicas, reason: `Scale${direction}Limit`, message };
}
