import {
  removeCondition,
  selectorFromLabels,
  selectorToString,
  setCondition,
  type Clock,
  type Condition,
  type ConditionUpdate,
  type DeepReadonly,
} from "@kedge/machinery";
import { refusalText } from "@kedge/runtime";
import { redisPhases, type RedisInstance } from "./kind.ts";
import { labelsOf, namesOf } from "./names.ts";
import type { PhaseFacts, PhaseReport } from "./plan/phase.ts";
import { rolloutOf } from "./plan/rollout.ts";

/** The status of an instance. Equal facts give an equal status: times change only with what they are about. */
export function statusOf(
  facts: PhaseFacts,
  report: PhaseReport,
  clock: Pick<Clock, "now">,
): NonNullable<RedisInstance["status"]> {
  const { instance, statefulSet } = facts.observed;
  const { name, generation } = instance.metadata;
  const rollout = statefulSet === undefined ? undefined : rolloutOf(statefulSet);
  const wanted = rollout?.wanted ?? instance.spec.replicas;
  return {
    status: report.phase,
    ready: report.ready ? "True" : "False",
    readyReplicas: `${rollout?.ready ?? 0}/${wanted}`,
    replicas: statefulSet?.status?.replicas ?? 0,
    selector: selectorToString(selectorFromLabels(labelsOf(name))),
    lastConditionMessage: messageOf(facts, report),
    conditions: conditionsOf(facts, report, clock),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

/** What is refused is more urgent than that the rest runs. */
function messageOf({ refusals }: PhaseFacts, { message, reason }: PhaseReport): string {
  return refusals.length === 0 || reason === "SpecRefused" ? message : refusalText(refusals);
}

function conditionsOf(facts: PhaseFacts, report: PhaseReport, clock: Pick<Clock, "now">): Condition[] {
  const { instance } = facts.observed;
  const observedGeneration = instance.metadata.generation;
  const updates = [
    readyCondition(report),
    phaseCondition(report),
    failoverCondition(instance),
    specCondition(facts),
  ];
  const stalled = stalledCondition(facts, report);
  const kept = keptConditions(instance, report, stalled !== undefined);
  return [
    ...[...updates, ...(stalled === undefined ? [] : [stalled])].reduce<readonly Condition[]>(
      (list, update) =>
        setCondition(
          list,
          { ...update, ...(observedGeneration !== undefined && { observedGeneration }) },
          clock,
        ),
      kept,
    ),
  ];
}

/** Conditions of phases that are over, and of a stall that is over, go. */
function keptConditions(
  instance: DeepReadonly<RedisInstance>,
  { phase }: PhaseReport,
  isStalled: boolean,
): readonly Condition[] {
  const over = [...redisPhases.filter((other) => other !== phase), ...(isStalled ? [] : ["Stalled"])];
  return over.reduce<readonly Condition[]>(removeCondition, instance.status?.conditions ?? []);
}

type Statement = Omit<ConditionUpdate, "observedGeneration">;

function readyCondition({ ready, reason, message }: PhaseReport): Statement {
  return { type: "Ready", status: ready ? "True" : "False", reason, message };
}

/** Seed 002's: typed by the phase, true when the instance is ready. */
function phaseCondition({ phase, ready, reason, message }: PhaseReport): Statement {
  return { type: phase, status: ready ? "True" : "False", reason, message };
}

function failoverCondition({ metadata }: DeepReadonly<RedisInstance>): Statement {
  const { primaryPod } = namesOf(metadata.name);
  return {
    type: "FailoverAvailable",
    status: "False",
    reason: "NotImplemented",
    message: `Failover is not there yet: while pod ${primaryPod} is down, nothing can be written, and it comes back with its own data.`,
  };
}

function specCondition({ refusals }: PhaseFacts): Statement {
  return refusals.length === 0
    ? { type: "SpecAccepted", status: "True", reason: "Accepted", message: "" }
    : { type: "SpecAccepted", status: "False", reason: "Refused", message: refusalText(refusals) };
}

/** The word that tools which wait (kstatus: kubectl, Flux, Argo CD) know for: this will not happen by itself. */
function stalledCondition({ refusals, failure }: PhaseFacts, { phase }: PhaseReport): Statement | undefined {
  if (phase === "Terminated") return undefined;
  if (refusals.length > 0) {
    return { type: "Stalled", status: "True", reason: "SpecRefused", message: refusalText(refusals) };
  }
  return failure === undefined ? undefined : { type: "Stalled", status: "True", ...failure };
}
