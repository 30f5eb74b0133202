import { phaseEvents, type EventNote } from "@kedge/runtime";
import type { InstanceReport, PhaseFacts } from "./plan/phase.ts";

/** What is new since the last report, as events: another phase, another failure, another refusal. */
export function transitionsOf(
  { observed, refusals }: PhaseFacts,
  report: InstanceReport,
): readonly EventNote[] {
  const { status: phase, conditions } = observed.instance.status ?? {};
  return phaseEvents({ phase, conditions }, report, refusals);
}
