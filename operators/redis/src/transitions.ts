import { findCondition } from "@kedge/machinery";
import { refusalText, type EventNote } from "@kedge/runtime";
import type { PhaseFacts, PhaseReport } from "./plan/phase.ts";

/** What is new since the last report, as events: another phase, another failure, another refusal. */
export function transitionsOf({ observed, refusals }: PhaseFacts, report: PhaseReport): readonly EventNote[] {
  const before = observed.instance.status;
  const isFailure = report.phase === "Failed";
  const isNewPhase = before?.status !== report.phase;
  const isNewFailure = isFailure && findCondition(before?.conditions, "Ready")?.message !== report.message;
  const refused = refusalText(refusals);
  const isNewRefusal =
    refused !== "" && findCondition(before?.conditions, "SpecAccepted")?.message !== refused;
  return [
    ...(isNewPhase || isNewFailure
      ? [{ type: isFailure ? "Warning" : "Normal", reason: report.phase, message: report.message } as const]
      : []),
    ...(isNewRefusal ? [{ type: "Warning", reason: "SpecRefused", message: refused } as const] : []),
  ];
}
