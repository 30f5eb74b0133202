import type { Clock, Kind, Scope } from "@kedge/machinery";
import { expectation } from "../controller/expectation.ts";
import { ensureFinalizer, removeFinalizer } from "../controller/finalizers.ts";
import type { ReconcileContext, ReconcileResult } from "../controller/types.ts";
import { writeStatus, type StatusOf } from "../controller/write-status.ts";
import type { EventNote } from "../events/types.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { Cached } from "../informer/types.ts";
import { actionText, actOnChild, isChildAction, type ChildAction } from "./child-actions.ts";
import { failureOf, type Failure } from "./failure.ts";
import type { Refusal } from "./refusal.ts";

/** What a run does, and what it does not and why. `Action` is what the operator's own `act` does. */
export interface Plan<Action = never> {
  /** Done in order; the first that fails ends the run. */
  readonly actions: readonly (Action | ChildAction)[];
  /** Default: none. */
  readonly refusals?: readonly Refusal[];
  /** The clean-up is done: after the last report the finalizer goes, and with it the object. */
  readonly release?: boolean;
  /** Milliseconds after which to look again, if that is sooner than the resync: for what no watch tells of. */
  readonly again?: number;
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
  /** What is new since the last report. Default: nothing. */
  readonly events?: readonly EventNote[];
}

/** The parts of a run. Only `act` writes, and only `observe` reads. */
export interface PlannedReconcile<T, S extends Scope, Sub extends string, Observed, Action> {
  readonly kind: Kind<T, S, Sub>;
  /**
   * Put on the object before anything else is done, and taken off when a plan says `release`. Absent: there is nothing to
   * clean up. An object that is being deleted and does not have it is left alone.
   */
  readonly finalizer?: string;
  /** Milliseconds after which to look again although nothing has changed. Default: five minutes. */
  readonly resync?: number;
  /**
   * Gathers all that the plan and the report are made of: from the caches, and where these are not enough, elsewhere.
   * What it asks must listen to `context.signal`, which aborts when the run has taken too long.
   */
  readonly observe: (context: ReconcileContext<T>, object: Cached<T>) => Observed | Promise<Observed>;
  /** Decides; pure. */
  readonly plan: (observed: Observed) => Plan<Action>;
  /** Does one thing that is not `applyChild` or `deleteChild`. Doing it again does no harm. */
  readonly act?: (action: Action, context: ReconcileContext<T>, object: Cached<T>) => Promise<void>;
  /** Says how it is; pure but for the time. */
  readonly report: (facts: ReportFacts<Observed>, clock: Pick<Clock, "now">) => Report<T>;
}

const defaultResync = 5 * 60_000;

/**
 * A reconcile that observes, plans, acts and reports. Status and events are written in one place, also when an action
 * failed with something that concerns the object; then the error goes on, so that the run is tried again.
 */
export function reconcileByPlan<
  T,
  S extends Scope,
  Sub extends string,
  Observed,
  Action extends { readonly type: string } = never,
>(
  parts: PlannedReconcile<T, S, Sub, Observed, Action>,
): (context: ReconcileContext<T>) => Promise<ReconcileResult | undefined> {
  const { kind, finalizer, resync = defaultResync } = parts;
  return async (context) => {
    // What belonged to it goes with it, and the finalizer has seen to the rest.
    if (context.object === undefined || isLeaving(context.object, finalizer)) return undefined;
    let object: Cached<T> = context.object;
    let plan: Plan<Action> = { actions: [] };
    let observed: Observed;
    try {
      if (finalizer !== undefined) object = await ensureFinalizer(context, kind, object, finalizer);
      observed = await parts.observe(context, object);
      plan = parts.plan(observed);
      context.logger.debug("Planned", { actions: plan.actions.map((action) => actionText(action)) });
      for (const action of plan.actions) await doOne(parts, action, { context, object });
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== undefined) await reportFailure(parts, { context, object, plan, failure });
      throw error;
    }
    // Where nothing was done, it is as it was.
    const after = plan.actions.length === 0 ? observed : await parts.observe(context, object);
    await report(parts, after, { context, object, plan, failure: undefined });
    if (plan.release !== true) return { requeueAfter: nextLook(plan.again, resync) };
    if (finalizer !== undefined) await removeFinalizer(context, kind, object, finalizer);
    return undefined;
  };
}

/** Being deleted, and not held by us: none of our business any more. */
function isLeaving(object: unknown, finalizer: string | undefined): boolean {
  const { metadata } = promised<StoredView>(object);
  if (metadata.deletionTimestamp === undefined) return false;
  return finalizer === undefined || !(metadata.finalizers ?? []).includes(finalizer);
}

async function doOne<
  T,
  S extends Scope,
  Sub extends string,
  Observed,
  Action extends { readonly type: string },
>(
  { act, kind }: PlannedReconcile<T, S, Sub, Observed, Action>,
  action: Action | ChildAction,
  { context, object }: { readonly context: ReconcileContext<T>; readonly object: Cached<T> },
): Promise<void> {
  if (isChildAction(action)) return await actOnChild(action, context, promised<StoredView>(object));
  if (act === undefined) {
    throw new TypeError(`the plan for a ${kind.kind} says ${action.type}, and there is no act that does it`);
  }
  return await act(action, context, object);
}

/** A moment that has passed is now; one that is none is the resync. */
function nextLook(again: number | undefined, resync: number): number {
  return again === undefined || Number.isNaN(again) ? resync : Math.max(1, Math.min(again, resync));
}

interface Outcome<T> {
  readonly context: ReconcileContext<T>;
  readonly object: Cached<T>;
  readonly plan: Pick<Plan, "refusals">;
  readonly failure: Failure | undefined;
}

/** A report that fails too must not hide why it was to be made. */
async function reportFailure<T, S extends Scope, Sub extends string, Observed, Action>(
  parts: PlannedReconcile<T, S, Sub, Observed, Action>,
  outcome: Outcome<T>,
): Promise<void> {
  const { context, object } = outcome;
  try {
    await report(parts, await parts.observe(context, object), outcome);
  } catch (error) {
    // What a changed or vanished object refuses, the next run reports.
    const level = expectation(error)?.level === "info" ? "debug" : "warn";
    context.logger[level]("The failure could not be reported in the status", { error });
  }
}

/** The one place where status and events are written. */
async function report<T, S extends Scope, Sub extends string, Observed, Action>(
  parts: PlannedReconcile<T, S, Sub, Observed, Action>,
  observed: Observed,
  { context, object, plan: { refusals = [] }, failure }: Outcome<T>,
): Promise<void> {
  const { status, events = [] } = parts.report({ observed, refusals, failure }, context.clock);
  await writeStatus(context, parts.kind, object, status);
  for (const note of events) context.events.record(promised<StoredView>(object), note);
}
