import type { DeepReadonly, Random } from "@kedge/machinery";
import {
  failureOf,
  removeFinalizer,
  writeStatus,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { act } from "./act.ts";
import { RedisInstance } from "./kind.ts";
import { finalizer } from "./names.ts";
import { observe } from "./observe.ts";
import { phaseOf, type PhaseFacts } from "./plan/phase.ts";
import { planInstance, type Plan } from "./plan/plan.ts";
import { statusOf } from "./status.ts";
import { transitionsOf } from "./transitions.ts";

/** Seed 002: look again after five minutes even when nothing has changed. */
const resync = 5 * 60_000;

/** One run over an instance: observe, plan, act, report. */
export async function reconcileInstance(
  context: ReconcileContext<RedisInstance>,
  options: { readonly secretRandom: Random },
): Promise<ReconcileResult | undefined> {
  const { object: instance } = context;
  // What belonged to it goes with it, and a finalizer has seen to the rest.
  if (instance === undefined || isGone(instance)) return undefined;
  let plan: Plan = { actions: [], refusals: [], release: false };
  const factsOf = (): PhaseFacts => ({
    observed: observe(context, instance),
    refusals: plan.refusals,
    failure: undefined,
  });
  try {
    plan = planInstance(observe(context, instance));
    for (const action of plan.actions) {
      await act(action, { context, instance, secretRandom: options.secretRandom });
    }
  } catch (error) {
    const failure = failureOf(error);
    if (failure !== undefined) await reportFailure(context, { ...factsOf(), failure });
    throw error;
  }
  await report(context, factsOf());
  if (plan.release) {
    await removeFinalizer(context, RedisInstance, instance, finalizer);
    return undefined;
  }
  return { requeueAfter: resync };
}

/** Being deleted, and not held by us: none of our business any more. */
function isGone({ metadata }: DeepReadonly<RedisInstance>): boolean {
  return metadata.deletionTimestamp !== undefined && !(metadata.finalizers ?? []).includes(finalizer);
}

/** A report that fails too must not hide why it was to be made. */
async function reportFailure(context: ReconcileContext<RedisInstance>, facts: PhaseFacts): Promise<void> {
  try {
    await report(context, facts);
  } catch (error) {
    context.logger.warn("The failure could not be reported in the status", { error });
  }
}

/** The one place where status and events are written, also when the run failed. */
async function report(context: ReconcileContext<RedisInstance>, facts: PhaseFacts): Promise<void> {
  const { instance } = facts.observed;
  const phase = phaseOf(facts);
  await writeStatus(context, RedisInstance, instance, statusOf(facts, phase, context.clock));
  for (const note of transitionsOf(facts, phase)) context.events.record(instance, note);
}
