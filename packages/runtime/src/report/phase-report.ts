import { findCondition, type Condition } from "@kedge/machinery";
import type { EventNote } from "../events/types.ts";
import { refusalText, type Refusal } from "./refusal.ts";

/** What is to be said of an object that goes through phases. */
export interface PhaseReport<Phase extends string = string> {
  readonly phase: Phase;
  /** Whether all of it runs as planned. */
  readonly ready: boolean;
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

/** The one sentence for people: what is refused is more urgent than that the rest runs. */
export function headline(refusals: readonly Refusal[], { message, reason }: PhaseReport): string {
  return refusals.length === 0 || reason === "SpecRefused" ? message : refusalText(refusals);
}

/** What the status said last. */
export interface LastReport {
  readonly phase: string | undefined;
  readonly conditions: readonly Readonly<Condition>[] | undefined;
}

/** What is new since the last report, as events: another phase, another failure, another refusal. */
export function phaseEvents(
  before: LastReport,
  { phase, message }: PhaseReport,
  refusals: readonly Refusal[],
): readonly EventNote[] {
  const isFailure = phase === "Failed";
  const isNewFailure = isFailure && findCondition(before.conditions, "Ready")?.message !== message;
  const refused = refusalText(refusals);
  const isNewRefusal =
    refused !== "" && findCondition(before.conditions, "SpecAccepted")?.message !== refused;
  return [
    ...(before.phase !== phase || isNewFailure
      ? [{ type: isFailure ? "Warning" : "Normal", reason: phase, message } as const]
      : []),
    ...(isNewRefusal ? [{ type: "Warning", reason: "SpecRefused", message: refused } as const] : []),
  ];
}
