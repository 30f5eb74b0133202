import type { Clock, Kind, Scope } from "@kedge/machinery";
import { removeFinalizer } from "../controller/finalizers.ts";
import type { ReconcileContext, ReconcileResult } from "../controller/types.ts";
import { writeStatus, type StatusOf } from "../controller/write-status.ts";
import type { EventNote } from "../events/types.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { Cached } from "../informer/types.ts";
import { failureOf, type Failure } from "./failure.ts";
import type { Refusal } from "./refusal.ts";

/** What a run does, and what it does not and why. */
export interface Plan<Action> {
  /** Done in order; the first that fails ends the run. */
  readonly actions: readonly Action[];
  readonly refusals: readonly Refusal[];
  /** The clean-up is done: after the last report the finalizer goes, and with it the object. */
  readonly release: boolean;
}

/** What a report is made of. */
export interface ReportFacts<Observed> {
  /** As it is after the run. */
  readonly observed: Observed;
  readonly refusals: readonly Refusal[];
  /** Why the run ended early, if it did. */
  readonly failure: Failure | undefined;
}

/** What a run has to say. */
export interface Report<T> {
  /** All of the status; it is sent only when it is another. */
  readonly status: Cached<StatusOf<T>>;
  /** What is new since the last report. */
  readonly events: readonly EventNote[];
}

/** The parts of a run. Only `act` writes, and only `observe` reads. */
export interface PlannedReconcile<T, S extends Scope, Sub extends string, Observed, Action> {
  readonly kind: Kind<T, S, Sub>;
  /** The finalizer that the actions put on the object. One that is being deleted without it is left alone. */
  readonly finalizer: string;
  /** Milliseconds after which to look again although nothing has changed. */
  readonly resync: number;
  /** Gathers all that the plan and the report are made of: from the caches, and where these are not enough, elsewhere. */
  readonly observe: (context: ReconcileContext<T>, object: Cached<T>) => Observed | Promise<Observed>;
  /** Decides; pure. */
  readonly plan: (observed: Observed) => Plan<Action>;
  /** Does one thing. Doing it again does no harm. */
  readonly act: (action: Action, context: ReconcileContext<T>, object: Cached<T>) => Promise<void>;
  /** Says how it is; pure but for the time. */
  readonly report: (facts: ReportFacts<Observed>, clock: Pick<Clock, "now">) => Report<T>;
}

/**
 * A reconcile that observes, plans, acts and reports. Status and events are written in one place, also when an action
 * failed with something that concerns the object; then the error goes on, so that the run is tried again.
 */
export function reconcileByPlan<
  T,
  S extends Scope,
  Sub extends string,
  Observed,
  Action extends { readonly do: string },
>(
  parts: PlannedReconcile<T, S, Sub, Observed, Action>,
): (context: ReconcileContext<T>) => Promise<ReconcileResult | undefined> {
  const { kind, finalizer, resync } = parts;
  return async (context) => {
    const { object } = context;
    // What belonged to it goes with it, and the finalizer has seen to the rest.
    if (object === undefined || isLeaving(object, finalizer)) return undefined;
    let plan: Plan<Action> = { actions: [], refusals: [], release: false };
    try {
      plan = parts.plan(await parts.observe(context, object));
      context.logger.debug("Planned", { actions: plan.actions.map((action) => action.do) });
      for (const action of plan.actions) await parts.act(action, context, object);
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== undefined) {
        await reportFailure(parts, context, { object, refusals: plan.refusals, failure });
      }
      throw error;
    }
    await report(parts, context, { object, refusals: plan.refusals, failure: undefined });
    if (!plan.release) return { requeueAfter: resync };
    await removeFinalizer(context, kind, object, finalizer);
    return undefined;
  };
}

/** Being deleted, and not held by us: none of our business any more. */
function isLeaving(object: unknown, finalizer: string): boolean {
  const { metadata } = promised<StoredView>(object);
  return metadata.deletionTimestamp !== undefined && !(metadata.finalizers ?? []).includes(finalizer);
}

interface Outcome<T> {
  readonly object: Cached<T>;
  readonly refusals: readonly Refusal[];
  readonly failure: Failure | undefined;
}

/** A report that fails too must not hide why it was to be made. */
async function reportFailure<T, S extends Scope, Sub extends string, Observed, Action>(
  parts: PlannedReconcile<T, S, Sub, Observed, Action>,
  context: ReconcileContext<T>,
  outcome: Outcome<T>,
): Promise<void> {
  try {
    await report(parts, context, outcome);
  } catch (error) {
    context.logger.warn("The failure could not be reported in the status", { error });
  }
}

/** The one place where status and events are written. */
async function report<T, S extends Scope, Sub extends string, Observed, Action>(
  parts: PlannedReconcile<T, S, Sub, Observed, Action>,
  context: ReconcileContext<T>,
  { object, refusals, failure }: Outcome<T>,
): Promise<void> {
  const observed = await parts.observe(context, object);
  const { status, events } = parts.report({ observed, refusals, failure }, context.clock);
  await writeStatus(context, parts.kind, object, status);
  for (const note of events) context.events.record(promised<StoredView>(object), note);
}
