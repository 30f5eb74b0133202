import type { DeepReadonly } from "@kedge/machinery";
import {
  failureOf,
  removeFinalizer,
  writeStatus,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { act } from "./act.ts";
import { Application } from "./kind.ts";
import { finalizer } from "./names.ts";
import { observe } from "./observe.ts";
import { phaseOf, type PhaseFacts } from "./plan/phase.ts";
import { planApplication, type Plan } from "./plan/plan.ts";
import { statusOf } from "./status.ts";
import { transitionsOf } from "./transitions.ts";

/** Look again after five minutes even when nothing has changed. */
const resync = 5 * 60_000;

/** One run over an application: observe, plan, act, report. */
export async function reconcileApplication(
  context: ReconcileContext<Application>,
): Promise<ReconcileResult | undefined> {
  const { object: application } = context;
  if (application === undefined || isGone(application)) return undefined;
  let plan: Plan = { actions: [], refusals: [], release: false };
  const factsOf = (): PhaseFacts => ({
    observed: observe(context, application),
    refusals: plan.refusals,
    failure: undefined,
  });
  try {
    plan = planApplication(observe(context, application));
    for (const action of plan.actions) await act(action, context, application);
  } catch (error) {
    const failure = failureOf(error);
    if (failure !== undefined) await reportFailure(context, { ...factsOf(), failure });
    throw error;
  }
  await report(context, factsOf());
  if (plan.release) {
    await removeFinalizer(context, Application, application, finalizer);
    return undefined;
  }
  return { requeueAfter: resync };
}

/** Being deleted, and not held by us: none of our business any more. */
function isGone({ metadata }: DeepReadonly<Application>): boolean {
  return metadata.deletionTimestamp !== undefined && !(metadata.finalizers ?? []).includes(finalizer);
}

/** A report that fails too must not hide why it was to be made. */
async function reportFailure(context: ReconcileContext<Application>, facts: PhaseFacts): Promise<void> {
  try {
    await report(context, facts);
  } catch (error) {
    context.logger.warn("The failure could not be reported in the status", { error });
  }
}

/** The one place where status and events are written, also when the run failed. */
async function report(context: ReconcileContext<Application>, facts: PhaseFacts): Promise<void> {
  const { application } = facts.observed;
  const phase = phaseOf(facts);
  await writeStatus(context, Application, application, statusOf(facts, phase, context.clock));
  for (const note of transitionsOf(facts, phase)) context.events.record(application, note);
}
