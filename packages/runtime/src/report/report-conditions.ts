import {
  removeCondition,
  setCondition,
  type Clock,
  type Condition,
  type ConditionUpdate,
} from "@kedge/machinery";
import type { Failure } from "./failure.ts";
import type { PhaseReport } from "./phase-report.ts";
import { refusalText, type Refusal } from "./refusal.ts";

/** A condition as an operator states it: generation and time are added. */
export type ConditionStatement = Omit<ConditionUpdate, "observedGeneration">;

/** What conditions are made of. */
export interface ConditionFacts {
  /** The object, with the conditions that it has. */
  readonly object: {
    readonly metadata: { readonly generation?: number | undefined };
    readonly status?: { readonly conditions?: readonly Readonly<Condition>[] | undefined } | undefined;
  };
  readonly report: Pick<PhaseReport, "ready" | "reason" | "message">;
  readonly refusals: readonly Refusal[];
  /** What will not go by itself, beside refusals. */
  readonly stalled: Failure | undefined;
  /** What else is to be said. */
  readonly more?: readonly ConditionStatement[];
  /** Types that are not said any more. */
  readonly over?: readonly string[];
}

/**
 * The conditions that each operator has: `Ready`; `SpecAccepted`, false when something is refused; and `Stalled`, only
 * while it is: the word that tools which wait (kstatus: kubectl, Flux, Argo CD) know for what will not happen by itself.
 */
export function reportConditions(facts: ConditionFacts, clock: Pick<Clock, "now">): Condition[] {
  const { object, report, refusals, more = [], over = [] } = facts;
  const observedGeneration = object.metadata.generation;
  const stalled = stalledCondition(facts);
  const gone = [...over, ...(stalled === undefined ? ["Stalled"] : [])];
  const kept = gone.reduce<readonly Condition[]>(removeCondition, object.status?.conditions ?? []);
  const statements = [
    readyCondition(report),
    ...more,
    specCondition(refusals),
    ...(stalled === undefined ? [] : [stalled]),
  ];
  return [
    ...statements.reduce(
      (list, statement) =>
        setCondition(
          list,
          { ...statement, ...(observedGeneration !== undefined && { observedGeneration }) },
          clock,
        ),
      kept,
    ),
  ];
}

function readyCondition({ ready, reason, message }: ConditionFacts["report"]): ConditionStatement {
  return { type: "Ready", status: ready ? "True" : "False", reason, message };
}

function specCondition(refusals: readonly Refusal[]): ConditionStatement {
  return refusals.length === 0
    ? { type: "SpecAccepted", status: "True", reason: "Accepted", message: "" }
    : { type: "SpecAccepted", status: "False", reason: "Refused", message: refusalText(refusals) };
}

/** A spec that is refused waits for another spec; an object that is being deleted waits for nothing of its spec. */
function stalledCondition({ report, refusals, stalled }: ConditionFacts): ConditionStatement | undefined {
  if (report.reason === "Deleting") return undefined;
  if (refusals.length > 0) {
    return { type: "Stalled", status: "True", reason: "SpecRefused", message: refusalText(refusals) };
  }
  return stalled === undefined
    ? undefined
    : { type: "Stalled", status: "True", reason: stalled.reason, message: stalled.message };
}
