import { findCondition, type Condition } from "@kedge/machinery";
import { phaseEvents, type ConditionStatement, type EventNote } from "@kedge/runtime";
import { diskFailing, diskTrouble } from "./plan/disk-trouble.ts";
import type { Observed } from "./observe.ts";
import type { InstanceReport, PhaseFacts } from "./plan/phase.ts";
import { configurationWarning, specWarnings } from "./rules/warnings.ts";
import { isStorageTrouble, storageCondition, storageReady } from "./plan/storage-condition.ts";

/**
 * What is new since the last report, as events: another phase, another failure, another refusal. A disk that was failing
 * when the run began (`begun`) is told, too: a primary that has handed over for it may not say so any more.
 */
export function transitionsOf(
  { observed, refusals }: PhaseFacts,
  report: InstanceReport,
  begun: Observed = observed,
): readonly EventNote[] {
  const { status: phase, conditions } = observed.instance.status ?? {};
  return [
    ...phaseEvents({ phase, conditions }, report, refusals),
    ...storageEvents(conditions, storageCondition(observed, refusals)),
    ...diskEvents(conditions, diskTrouble(observed) ?? diskTrouble(begun)),
    ...specWarnings(observed.instance.spec)
      .filter(({ message }) => findCondition(conditions, configurationWarning)?.message !== message)
      .map(({ reason, message }) => ({ type: "Warning", reason, message }) as const),
  ];
}

function diskEvents(
  before: readonly Readonly<Condition>[] | undefined,
  trouble: ConditionStatement | undefined,
): readonly EventNote[] {
  if (trouble === undefined || findCondition(before, diskFailing)?.message === trouble.message) return [];
  const { reason, message } = trouble;
  return [{ type: "Warning", reason, message }];
}

function storageEvents(
  before: readonly Readonly<Condition>[] | undefined,
  { reason, message }: ConditionStatement,
): readonly EventNote[] {
  const isNew = findCondition(before, storageReady)?.message !== message;
  return isNew && isStorageTrouble(reason) ? [{ type: "Warning", reason, message }] : [];
}
