import type { DeepReadonly } from "@kedge/machinery";
import type { HorizontalPodAutoscaler, MetricStatus } from "@kedge/machinery/kinds/autoscaling/v2";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { EventNote } from "@kedge/runtime";
import type { HorizontalPodAutoscalerOptions } from "../options.ts";
import type { Measurement } from "./amounts.ts";
import type { NewCondition } from "./conditions.ts";
import type { History } from "./history.ts";
import { normalize } from "./normalize.ts";
import { isProposal, propose, type NoProposal } from "./proposal.ts";
import { tolerancesOf } from "./tolerances.ts";

/** The size of a target: what it is told to have, and what it has. */
export interface TargetScale {
  readonly specReplicas: number;
  readonly statusReplicas: number;
}

/** What an autoscaler sees. */
export interface Observed {
  readonly autoscaler: DeepReadonly<HorizontalPodAutoscaler>;
  readonly scale: TargetScale;
  /** The pods that the target selects. */
  readonly pods: readonly DeepReadonly<Pod>[];
  /** One for each metric of the spec. */
  readonly measurements: readonly Measurement[];
  readonly history: History;
  readonly options: HorizontalPodAutoscalerOptions;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds of the history's clock. */
  readonly monotonic: number;
}

/** What it does about it. */
export interface Plan {
  readonly conditions: readonly NewCondition[];
  readonly events: readonly EventNote[];
  readonly currentMetrics?: readonly MetricStatus[];
  /** Another size, and why. */
  readonly rescale?: { readonly replicas: number; readonly reason: string };
  /** Why nothing can be said, or not all. */
  readonly failure?: string;
  /** Whether the failure leaves the autoscaler without an answer. */
  readonly isUndecided?: boolean;
  readonly history: History;
}

type Bounds = Pick<Observed, "autoscaler" | "scale" | "history">;

/** What to do without looking at any metric; undefined: look at them. */
export function planByBounds({ autoscaler, scale, history }: Bounds): Plan | undefined {
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  const { specReplicas } = scale;
  const nothing = { conditions: [], events: [], history };
  if (specReplicas === 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    return {
      ...nothing,
      conditions: [{ type: "ScalingActive", status: "False", reason: "ScalingDisabled", message }],
    };
  }
  if (specReplicas > maxReplicas) {
    const reason = "Current number of replicas above Spec.MaxReplicas";
    return { ...nothing, rescale: { replicas: maxReplicas, reason } };
  }
  if (specReplicas < minReplicas) {
    const reason = "Current number of replicas below Spec.MinReplicas";
    return { ...nothing, rescale: { replicas: minReplicas, reason } };
  }
  return undefined;
}

/** What to do by the metrics: the one that wants most decides. */
export function planByMetrics(observed: Observed): Plan {
  const { autoscaler, scale, history, options, monotonic } = observed;
  const { spec } = autoscaler;
  const current = scale.specReplicas;
  const found = proposals(observed);
  const { events, currentMetrics, failure } = found;
  if (found.wanted === undefined || (failure !== undefined && found.wanted.replicas < current)) {
    return {
      conditions: found.firstFailure === undefined ? [] : [inactive(found.firstFailure)],
      events: [...events, warning("FailedComputeMetricsReplicas", failure ?? "no metrics")],
      currentMetrics,
      failure: failure ?? "no metrics",
      isUndecided: true,
      history,
    };
  }
  const { metric, replicas: desired } = found.wanted;
  const { minReplicas: min = 1, maxReplicas: max } = spec;
  const normalized = normalize({
    wish: { current, desired, min, max },
    behavior: spec.behavior,
    history,
    downscaleStabilization: options.downscaleStabilization,
    now: monotonic,
  });
  const { replicas } = normalized;
  const reason =
    desired > current ? `${metric} above target` : desired < current ? "All metrics below target" : "";
  return {
    conditions: [active(metric), ...normalized.conditions],
    events,
    currentMetrics,
    ...(replicas !== current && { rescale: { replicas, reason } }),
    ...(failure !== undefined && { failure }),
    history: normalized.history,
  };
}

interface Proposals {
  /** The one that wants most. */
  readonly wanted?: { readonly replicas: number; readonly metric: string };
  readonly firstFailure?: NoProposal;
  readonly failure?: string;
  readonly events: readonly EventNote[];
  readonly currentMetrics: readonly MetricStatus[];
}

function proposals(observed: Observed): Proposals {
  const { autoscaler, scale, pods, measurements, options, now } = observed;
  const metrics = autoscaler.spec.metrics ?? [];
  const view = {
    ...scale,
    pods,
    options,
    now,
    namespace: autoscaler.metadata.namespace,
    tolerances: tolerancesOf(autoscaler.spec, options.tolerance),
  };
  const all = metrics.map((metric, i) =>
    propose(metric, measurements[i] ?? { failure: "not measured" }, view),
  );
  const found = all.filter(isProposal);
  const failed = all.filter((each): each is NoProposal => !isProposal(each));
  const [firstFailure] = failed;
  // The first of equal ones; one that wants nothing gives way to any that comes later.
  const wanted = found.reduce<(typeof found)[number] | undefined>(
    (best, each) =>
      best === undefined || best.replicas === 0 || each.replicas > best.replicas ? each : best,
    undefined,
  );
  return {
    ...(wanted !== undefined && { wanted }),
    ...(firstFailure !== undefined && {
      firstFailure,
      failure: `invalid metrics (${failed.length} invalid out of ${all.length}), first error is: ${firstFailure.failure}`,
    }),
    events: failed.map(({ reason, message }) => warning(reason, message)),
    // What could not be measured is there without a word.
    currentMetrics: all.map((each) => (isProposal(each) ? each.status : { type: "" })),
  };
}

function active(metric: string): NewCondition {
  return {
    type: "ScalingActive",
    status: "True",
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${metric}`,
  };
}

function inactive({ reason, message }: NoProposal): NewCondition {
  return {
    type: "ScalingActive",
    status: "False",
    reason,
    message: `the HPA was unable to compute the replica count: ${message}`,
  };
}

function warning(reason: string, message: string): EventNote {
  return { type: "Warning", reason, message };
}
