import {
  clone,
  formatTime,
  messageOf,
  selectorMatches,
  withTypeMeta,
  type DeepReadonly,
} from "@kedge/machinery";
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerStatus,
} from "@kedge/machinery/kinds/autoscaling/v2";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import {
  defineController,
  watches,
  type Controller,
  type EventNote,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { writeStatusAsUpdate } from "../write-status.ts";
import { measure } from "./observe/measure.ts";
import { readTarget, writeTarget, type Target } from "./observe/scale.ts";
import type { HorizontalPodAutoscalerOptions } from "./options.ts";
import { putConditions, type NewCondition } from "./plan/conditions.ts";
import { newHistory, withChange } from "./plan/history.ts";
import { planByBounds, planByMetrics, type Plan } from "./plan/plan.ts";
import { ambiguity, isProblem, readSelector, type SelectionProblem } from "./plan/selection.ts";
import { AutoscalerStates, type AutoscalerState } from "./states.ts";

type Context = ReconcileContext<HorizontalPodAutoscaler>;
type Autoscaler = DeepReadonly<HorizontalPodAutoscaler>;

/** Gives whatever has a scale as many replicas as its metrics call for. Looks at each autoscaler once in a period. */
export function horizontalPodAutoscalerController(options: HorizontalPodAutoscalerOptions): Controller {
  const states = new AutoscalerStates();
  return defineController({
    name: "horizontal-pod-autoscaler",
    reporter: "horizontal-pod-autoscaler",
    for: HorizontalPodAutoscaler,
    watches: [watches(Pod, () => [])],
    workers: 5,
    reconcile: (context) => reconcile(context, states, options),
  });
}

async function reconcile(
  context: Context,
  states: AutoscalerStates,
  options: HorizontalPodAutoscalerOptions,
): Promise<ReconcileResult | undefined> {
  const { object: autoscaler, clock, key } = context;
  if (autoscaler === undefined) {
    states.forget(key.namespace ?? "", key.name);
    return undefined;
  }
  const state = states.of(autoscaler.metadata, clock.monotonic() + options.syncPeriod);
  const wait = state.due - clock.monotonic();
  if (wait > 0) return { requeueAfter: wait };
  state.due = clock.monotonic() + options.syncPeriod;
  try {
    await autoscale({ context, autoscaler, state, states, options });
  } catch (error) {
    // Not sooner than any other: what it needs may be missing for long.
    context.logger.warn("Could not autoscale", { why: messageOf(error) });
  }
  return { requeueAfter: options.syncPeriod };
}

interface Look {
  readonly context: Context;
  readonly autoscaler: Autoscaler;
  readonly state: AutoscalerState;
  readonly states: AutoscalerStates;
  readonly options: HorizontalPodAutoscalerOptions;
}

async function autoscale(look: Look): Promise<void> {
  const { context, autoscaler, state } = look;
  const { client, clock } = context;
  let target: Target;
  try {
    target = await readTarget(client, autoscaler);
  } catch (error) {
    tell(look, [{ type: "Warning", reason: "FailedGetScale", message: messageOf(error) }]);
    await report(look, {}, [unableToGetScale(error)]);
    throw error;
  }
  const current = target.scale.spec.replicas ?? 0;
  const history = (state.history ??= newHistory(current, clock.monotonic()));
  const scale = { specReplicas: current, statusReplicas: target.scale.status.replicas };
  const plan = planByBounds({ autoscaler, scale, history }) ?? (await planByLooking(look, target));
  state.history = plan.history;
  tell(look, plan.events);
  const rescaled = await rescale(look, target, plan);
  const isDecided = plan.isUndecided !== true && rescaled.failure === undefined;
  await report(
    look,
    {
      currentReplicas: current === 0 ? undefined : current,
      currentMetrics: clone(plan.currentMetrics ?? null),
      ...(isDecided && { desiredReplicas: plan.rescale?.replicas ?? current }),
      ...(isDecided && plan.rescale !== undefined && { lastScaleTime: formatTime(clock.now()) }),
    },
    [gotScale, ...plan.conditions, ...rescaled.conditions],
  );
  const failure = rescaled.failure ?? plan.failure;
  if (failure !== undefined) throw new Error(failure);
}

async function planByLooking(
  { context, autoscaler, state, states, options }: Look,
  target: Target,
): Promise<Plan> {
  const { client, clock } = context;
  const { namespace } = autoscaler.metadata;
  const history = state.history ?? newHistory(0, clock.monotonic());
  const { replicas = 0 } = target.scale.spec;
  const { selector: text = "", replicas: statusReplicas } = target.scale.status;
  const selector = readSelector(text);
  if (isProblem(selector)) return undecided(selector, history);
  state.selector = selector;
  const pods = context
    .read(Pod)
    .list({ namespace })
    .filter(({ metadata }) => selectorMatches(selector, metadata.labels));
  const rivals = ambiguity(text, pods, { namespace, selectors: states.selectors(namespace) });
  if (rivals !== undefined) return undecided(rivals, history);
  const measurements = await measure(client, { namespace, selector: text }, autoscaler.spec.metrics ?? []);
  return planByMetrics({
    autoscaler,
    scale: { specReplicas: replicas, statusReplicas },
    pods,
    measurements,
    history,
    options,
    now: clock.now(),
    monotonic: clock.monotonic(),
  });
}

function undecided({ event, condition }: SelectionProblem, history: Plan["history"]): Plan {
  const { message } = event;
  const failed: EventNote = { type: "Warning", reason: "FailedComputeMetricsReplicas", message };
  return { conditions: [condition], events: [event, failed], failure: message, isUndecided: true, history };
}

interface Rescaled {
  readonly conditions: readonly NewCondition[];
  readonly failure?: string;
}

async function rescale(look: Look, target: Target, plan: Plan): Promise<Rescaled> {
  if (plan.rescale === undefined) return { conditions: [] };
  const { context, autoscaler, state } = look;
  const { replicas, reason } = plan.rescale;
  try {
    await writeTarget(context.client, target, replicas);
  } catch (error) {
    const why = messageOf(error);
    const message = `New size: ${replicas}; reason: ${reason}; error: ${why}`;
    tell(look, [{ type: "Warning", reason: "FailedRescale", message }]);
    return { conditions: [unableToUpdateScale(why)], failure: `failed to rescale: ${why}` };
  }
  const from = target.scale.spec.replicas ?? 0;
  const change = { from, to: replicas, time: context.clock.monotonic() };
  state.history = withChange(plan.history, change, autoscaler.spec.behavior);
  tell(look, [{ reason: "SuccessfulRescale", message: `New size: ${replicas}; reason: ${reason}` }]);
  const message = `the HPA controller was able to update the target scale to ${replicas}`;
  return { conditions: [{ type: "AbleToScale", status: "True", reason: "SucceededRescale", message }] };
}

async function report(
  look: Look,
  change: Partial<HorizontalPodAutoscalerStatus>,
  conditions: readonly NewCondition[],
): Promise<void> {
  const { context, autoscaler } = look;
  const before = autoscaler.status ?? { desiredReplicas: 0, currentMetrics: null };
  const { observedGeneration: _, ...known } = before;
  const status = {
    ...(Object.keys(change).length === 0 ? before : known),
    ...change,
    conditions: clone(putConditions(before.conditions ?? [], conditions, context.clock.now())),
  };
  try {
    await writeStatusAsUpdate(context.client.of(HorizontalPodAutoscaler).status, autoscaler, clone(status));
  } catch (error) {
    tell(look, [{ type: "Warning", reason: "FailedUpdateStatus", message: messageOf(error) }]);
    throw error;
  }
}

function tell({ context, autoscaler }: Look, notes: readonly EventNote[]): void {
  for (const note of notes) context.events.record(withTypeMeta(HorizontalPodAutoscaler, autoscaler), note);
}

const gotScale: NewCondition = {
  type: "AbleToScale",
  status: "True",
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale",
};

function unableToGetScale(error: unknown): NewCondition {
  const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`;
  return { type: "AbleToScale", status: "False", reason: "FailedGetScale", message };
}

function unableToUpdateScale(why: string): NewCondition {
  const message = `the HPA controller was unable to update the target scale: ${why}`;
  return { type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message };
}
