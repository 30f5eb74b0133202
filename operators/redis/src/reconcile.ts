import type { Random } from "@kedge/machinery";
import { reconcileByPlan, type ReconcileContext, type ReconcileResult } from "@kedge/runtime";
import { act } from "./act.ts";
import { RedisInstance } from "./kind.ts";
import { finalizer } from "./names.ts";
import { observe } from "./observe.ts";
import { phaseOf } from "./plan/phase.ts";
import { planInstance } from "./plan/plan.ts";
import { statusOf } from "./status.ts";
import { transitionsOf } from "./transitions.ts";

/** One run over an instance: observe, plan, act, report. */
export function reconcileInstance(options: {
  readonly secretRandom: Random;
}): (context: ReconcileContext<RedisInstance>) => Promise<ReconcileResult | undefined> {
  return reconcileByPlan({
    kind: RedisInstance,
    finalizer,
    observe,
    plan: planInstance,
    act: (action, context, instance) => act(action, { context, instance, ...options }),
    report(facts, clock) {
      const phase = phaseOf(facts);
      return { status: statusOf(facts, phase, clock), events: transitionsOf(facts, phase) };
    },
  });
}
