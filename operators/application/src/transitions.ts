import { findCondition } from "@kedge/machinery";
import { refusalText, type EventNote } from "@kedge/runtime";
import type { PhaseFacts, PhaseReport } from "./plan/phase.ts";

/** What is new since the last report, as events: another phase, another failure, another refusal, the deletion. */
export function transitionsOf({ observed, refusals }: PhaseFacts, report: PhaseReport): readonly EventNote[] {
  const before = observed.application.status;
  const ready = findCondition(before?.conditions, "Ready");
  const { phase, reason, message } = report;
  const refused = refusalText(refusals);
  const isNewRefusal =
    refused !== "" && findCondition(before?.conditions, "SpecAccepted")?.message !== refused;
  const notes: EventNote[] = [];
  if (reason === "Deleting") {
    if (ready?.reason !== reason) notes.push({ type: "Normal", reason, message });
  } else if (phase === "Failed") {
    if (before?.phase !== phase || ready?.message !== message)
      notes.push({ type: "Warning", reason: phase, message });
  } else if (before?.phase !== phase) notes.push({ type: "Normal", reason: phase, message });
  if (isNewRefusal) notes.push({ type: "Warning", reason: "SpecRefused", message: refused });
  return notes;
}
