import { reconcileByPlan } from "@kedge/runtime";
import { act } from "./act.ts";
import { Application } from "./kind.ts";
import { finalizer } from "./names.ts";
import { observe } from "./observe.ts";
import { phaseOf } from "./plan/phase.ts";
import { planApplication } from "./plan/plan.ts";
import { statusOf } from "./status.ts";
import { transitionsOf } from "./transitions.ts";

/** One run over an application: observe, plan, act, report. */
export const reconcileApplication = reconcileByPlan({
  kind: Application,
  finalizer,
  observe,
  plan: planApplication,
  act,
  report(facts, clock) {
    const phase = phaseOf(facts);
    return { status: statusOf(facts, phase, clock), events: transitionsOf(facts, phase) };
  },
});
