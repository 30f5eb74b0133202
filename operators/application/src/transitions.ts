import { findCondition } from "@kedge/machinery";
import { phaseEvents, type EventNote } from "@kedge/runtime";
import type { ApplicationReport, PhaseFacts } from "./plan/phase.ts";

/** What is new since the last report, as events: another phase, another failure, another refusal, the deletion. */
export function transitionsOf(
  { observed, refusals }: PhaseFacts,
  report: ApplicationReport,
): readonly EventNote[] {
  const { phase, conditions } = observed.application.status ?? {};
  const { reason, message } = report;
  if (reason !== "Deleting") return phaseEvents({ phase, conditions }, report, refusals);
  const isTold = findCondition(conditions, "Ready")?.reason === reason;
  return isTold ? [] : [{ type: "Normal", reason, message }];
}
