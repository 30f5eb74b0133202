import {
  removeCondition,
  selectorFromLabels,
  selectorToString,
  setCondition,
  type Clock,
  type Condition,
  type ConditionUpdate,
} from "@kedge/machinery";
import { refusalText } from "@kedge/runtime";
import type { Application } from "./kind.ts";
import { labelsOf } from "./names.ts";
import type { PhaseFacts, PhaseReport } from "./plan/phase.ts";
import { rolloutOf } from "./plan/rollout.ts";

/** The status of an application. Equal facts give an equal status: times change only with what they are about. */
export function statusOf(
  facts: PhaseFacts,
  report: PhaseReport,
  clock: Pick<Clock, "now">,
): NonNullable<Application["status"]> {
  const { application, deployment } = facts.observed;
  const { name, generation } = application.metadata;
  const rollout = deployment === undefined ? undefined : rolloutOf(deployment);
  const isRefused = facts.refusals.length > 0 && report.reason !== "SpecRefused";
  return {
    phase: report.phase,
    readyReplicas: `${rollout?.ready ?? 0}/${rollout?.wanted ?? application.spec.replicas}`,
    replicas: deployment?.status?.replicas ?? 0,
    selector: selectorToString(selectorFromLabels(labelsOf(name))),
    // What is refused is more urgent than that the rest runs.
    message: isRefused ? refusalText(facts.refusals) : report.message,
    conditions: conditionsOf(facts, report, clock),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

function conditionsOf(facts: PhaseFacts, report: PhaseReport, clock: Pick<Clock, "now">): Condition[] {
  const { status, metadata } = facts.observed.application;
  const { generation } = metadata;
  const stalled = stalledCondition(facts, report);
  const before = status?.conditions ?? [];
  const updates = [readyCondition(report), specCondition(facts), ...(stalled === undefined ? [] : [stalled])];
  return [
    ...updates.reduce<readonly Condition[]>(
      (list, update) =>
        setCondition(
          list,
          { ...update, ...(generation !== undefined && { observedGeneration: generation }) },
          clock,
        ),
      stalled === undefined ? removeCondition(before, "Stalled") : before,
    ),
  ];
}

type Statement = Omit<ConditionUpdate, "observedGeneration">;

function readyCondition({ ready, reason, message }: PhaseReport): Statement {
  return { type: "Ready", status: ready ? "True" : "False", reason, message };
}

function specCondition({ refusals }: PhaseFacts): Statement {
  return refusals.length === 0
    ? { type: "SpecAccepted", status: "True", reason: "Accepted", message: "" }
    : { type: "SpecAccepted", status: "False", reason: "Refused", message: refusalText(refusals) };
}

/** The word that tools which wait (kstatus: kubectl, Flux, Argo CD) know for: this will not happen by itself. */
function stalledCondition({ refusals }: PhaseFacts, report: PhaseReport): Statement | undefined {
  if (report.reason === "Deleting") return undefined;
  if (refusals.length > 0) {
    return { type: "Stalled", status: "True", reason: "SpecRefused", message: refusalText(refusals) };
  }
  const { phase, reason, message } = report;
  return phase === "Failed" ? { type: "Stalled", status: "True", reason, message } : undefined;
}
