import { selectorFromLabels, selectorToString, type Clock } from "@kedge/machinery";
import { headline, reportConditions } from "@kedge/runtime";
import type { Application } from "./kind.ts";
import { labelsOf } from "./names.ts";
import type { ApplicationReport, PhaseFacts } from "./plan/phase.ts";
import { rolloutOf } from "./plan/rollout.ts";

/** The status of an application. Equal facts give an equal status: times change only with what they are about. */
export function statusOf(
  { observed, refusals }: PhaseFacts,
  report: ApplicationReport,
  clock: Pick<Clock, "now">,
): NonNullable<Application["status"]> {
  const { application, deployment } = observed;
  const { name, generation } = application.metadata;
  const rollout = deployment === undefined ? undefined : rolloutOf(deployment);
  const stalled = report.phase === "Failed" ? report : undefined;
  return {
    phase: report.phase,
    readyReplicas: `${rollout?.ready ?? 0}/${rollout?.wanted ?? application.spec.replicas}`,
    replicas: deployment?.status?.replicas ?? 0,
    selector: selectorToString(selectorFromLabels(labelsOf(name))),
    message: headline(refusals, report),
    conditions: reportConditions({ object: application, report, refusals, stalled }, clock),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}
