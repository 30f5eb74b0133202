import { findCondition, type Condition } from "@kedge/machinery";
import type { EventNote } from "../events/types.ts";
import type { PodTrouble } from "./explain-pods.ts";
import { refusalText, type Refusal } from "./refusal.ts";

/** What is to be said of an object that goes through phases. */
export interface PhaseReport<Phase extends string = string> {
  readonly phase: Phase;
  /** Whether all of it runs as planned. */
  readonly ready: boolean;
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
  /** Why not all pods are ready; it is in the message too. */
  readonly trouble?: PodTrouble | undefined;
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

/** What is new since the last report, as events: another phase, failure or refusal, other trouble with pods. */
export function phaseEvents(
  before: LastReport,
  { phase, message, trouble }: PhaseReport,
  refusals: readonly Refusal[],
): readonly EventNote[] {
  const isFailure = phase === "Failed";
  const told = findCondition(before.conditions, "Ready")?.message ?? "";
  const isNewFailure = isFailure && told !== message;
  const isNewTrouble = trouble?.isWarning === true && !told.includes(trouble.message);
  const refused = refusalText(refusals);
  const isNewRefusal =
    refused !== "" && findCondition(before.conditions, "SpecAccepted")?.message !== refused;
  return [
    ...(before.phase !== phase || isNewFailure
      ? [{ type: isFailure ? "Warning" : "Normal", reason: phase, message } as const]
      : []),
    ...(isNewTrouble ? [{ type: "Warning", reason: trouble.reason, message: trouble.message } as const] : []),
    ...(isNewRefusal ? [{ type: "Warning", reason: "SpecRefused", message: refused } as const] : []),
  ];
}
