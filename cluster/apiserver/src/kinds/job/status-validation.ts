import {
  deepEqual,
  fieldDuplicate,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  parseTime,
  type FieldError,
} from "@kedge/machinery";
import { Job, type JobStatus } from "@kedge/machinery/kinds/batch/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { firstCommonIndex, readIndexes } from "./index-text.ts";

type Status = Decoded<JobStatus>;

/** A change of a job's status: rules are asked only of what has changed, so that others may still be written. */
interface Change {
  readonly job: Decoded<Job>;
  readonly now: Status;
  readonly before: Status;
  readonly hasChanged: (...fields: readonly (keyof JobStatus)[]) => boolean;
  readonly hasTurned: (...types: readonly string[]) => boolean;
}

const path = fieldPath("status");

/** What is wrong with changing a job's status so. */
export function validateJobStatus(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const job = decodedAs(Job, object);
  const { status: now = {} } = job;
  const before = decodedAs(Job, previous).status ?? {};
  const change: Change = {
    job,
    now,
    before,
    hasChanged: (...fields) => fields.some((field) => !deepEqual(now[field], before[field])),
    hasTurned: (...types) => types.some((type) => isTrue(now, type) !== isTrue(before, type)),
  };
  return [
    ...countErrors(now),
    ...timeErrors(change),
    ...endErrors(change),
    ...indexErrors(change),
    ...lateErrors(change),
    ...transitionErrors(change),
  ];
}

function countErrors(now: Status): FieldError[] {
  const { succeeded = [], failed = [] } = now.uncountedTerminatedPods ?? {};
  const seen = new Set<string>();
  const uids = (list: readonly string[], name: string): FieldError[] =>
    list.flatMap((uid, i) => {
      const at = path.child("uncountedTerminatedPods", name).index(i);
      if (uid === "") return [fieldInvalid(at, uid, "must not be empty")];
      if (seen.has(uid)) return [fieldDuplicate(at, uid)];
      seen.add(uid);
      return [];
    });
  const counts = ["active", "succeeded", "failed", "ready", "terminating"] as const;
  return [
    ...counts.flatMap((name) => nonNegative(now[name], path.child(name))),
    ...uids(succeeded, "succeeded"),
    ...uids(failed, "failed"),
  ];
}

function timeErrors({ now, hasChanged, hasTurned }: Change): FieldError[] {
  const { startTime, completionTime } = now;
  const at = path.child("completionTime");
  const isComplete = isTrue(now, "Complete");
  const isAsked = hasTurned("Complete") || hasChanged("completionTime");
  const isEarly =
    startTime !== undefined &&
    completionTime !== undefined &&
    parseTime(completionTime) < parseTime(startTime);
  return [
    ...when(
      hasTurned("Complete", "Failed") && isComplete && isTrue(now, "Failed"),
      conditionsInvalid("cannot set Complete=True and Failed=true conditions"),
    ),
    ...when(
      hasTurned("Complete", "FailureTarget") && isComplete && isTrue(now, "FailureTarget"),
      conditionsInvalid("cannot set Complete=True and FailureTarget=true conditions"),
    ),
    ...when(
      isAsked && completionTime !== undefined && !isComplete,
      fieldInvalid(at, completionTime, "cannot set completionTime when there is no Complete=True condition"),
    ),
    ...when(
      isAsked && completionTime === undefined && isComplete,
      fieldRequired(at, "completionTime is required for Complete jobs"),
    ),
    ...when(
      hasChanged("startTime", "completionTime") && isEarly,
      fieldInvalid(at, completionTime, "must be equal to or after `startTime`"),
    ),
  ];
}

function endErrors({ job, now, hasChanged, hasTurned }: Change): FieldError[] {
  const isFinished = isTrue(now, "Complete") || isTrue(now, "Failed");
  const isTurned = hasTurned("Complete", "Failed");
  const { succeeded = [], failed = [] } = now.uncountedTerminatedPods ?? {};
  const needsNoStart = job.spec?.suspend === true && job.spec.completions === 0;
  return [
    ...when(
      (hasTurned("Failed") || hasChanged("failedIndexes")) &&
        isTrue(now, "Failed") &&
        !isTrue(now, "FailureTarget"),
      conditionsInvalid("cannot set Failed=True condition without the FailureTarget=true condition"),
    ),
    ...when(
      hasTurned("Complete", "SuccessCriteriaMet") &&
        isTrue(now, "Complete") &&
        !isTrue(now, "SuccessCriteriaMet"),
      conditionsInvalid("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"),
    ),
    ...when(
      (isTurned || hasChanged("active")) && (now.active ?? 0) > 0 && isFinished,
      fieldInvalid(path.child("active"), now.active, "active>0 is invalid for finished job"),
    ),
    ...when(
      (isTurned || hasChanged("startTime")) && !needsNoStart && now.startTime === undefined && isFinished,
      fieldRequired(path.child("startTime"), "startTime is required for finished job"),
    ),
    ...when(
      (isTurned || hasChanged("uncountedTerminatedPods")) &&
        isFinished &&
        succeeded.length + failed.length > 0,
      fieldInvalid(
        path.child("uncountedTerminatedPods"),
        new Map([
          ["Succeeded", succeeded.length === 0 ? null : succeeded],
          ["Failed", failed.length === 0 ? null : failed],
        ]),
        "must be empty for finished job",
      ),
    ),
  ];
}

function indexErrors({ job, now, hasChanged }: Change): FieldError[] {
  const { completions, backoffLimitPerIndex, completionMode } = job.spec ?? {};
  const { completedIndexes = "", failedIndexes } = now;
  const [completedAt, failedAt] = [path.child("completedIndexes"), path.child("failedIndexes")];
  const faultIn = (text: string | undefined): string | undefined => {
    const read = readIndexes(text ?? "", completions ?? 0);
    return completions !== undefined && "fault" in read ? read.fault : undefined;
  };
  const completedFault = faultIn(completedIndexes);
  const failedFault = backoffLimitPerIndex === undefined ? undefined : faultIn(failedIndexes);
  const common = firstCommonIndex(completedIndexes, failedIndexes ?? "", completions ?? 0);
  return [
    ...when(
      hasChanged("completedIndexes") && completedFault !== undefined,
      fieldInvalid(completedAt, completedIndexes, `error parsing completedIndexes: ${completedFault ?? ""}`),
    ),
    ...when(
      hasChanged("failedIndexes") && failedFault !== undefined,
      fieldInvalid(failedAt, failedIndexes, `error parsing failedIndexes: ${failedFault ?? ""}`),
    ),
    ...when(
      hasChanged("completedIndexes") && completedIndexes !== "" && completionMode !== "Indexed",
      fieldInvalid(
        completedAt,
        completedIndexes,
        "cannot set non-empty completedIndexes when non-indexed completion mode",
      ),
    ),
    ...when(
      hasChanged("failedIndexes") && backoffLimitPerIndex === undefined && failedIndexes !== undefined,
      fieldInvalid(
        failedAt,
        failedIndexes,
        "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
      ),
    ),
    ...when(
      hasChanged("failedIndexes", "completedIndexes") && common !== undefined,
      fieldInvalid(
        failedAt,
        failedIndexes,
        `failedIndexes and completedIndexes overlap at index: ${common ?? 0}`,
      ),
    ),
  ];
}

function lateErrors({ job, now, hasChanged, hasTurned }: Change): FieldError[] {
  const isFinished = isTrue(now, "Complete") || isTrue(now, "Failed");
  const isMet = isTrue(now, "SuccessCriteriaMet");
  return [
    ...when(
      (hasTurned("Complete", "Failed") || hasChanged("terminating")) &&
        (now.terminating ?? 0) > 0 &&
        isFinished,
      fieldInvalid(path.child("terminating"), now.terminating, "terminating>0 is invalid for finished job"),
    ),
    ...when(
      hasChanged("ready", "active") && (now.ready ?? 0) > (now.active ?? 0),
      fieldInvalid(path.child("ready"), now.ready, "cannot set more ready pods than active"),
    ),
    ...when(
      isMet && isTrue(now, "Failed"),
      conditionsInvalid("cannot set SuccessCriteriaMet=True and Failed=true conditions"),
    ),
    ...when(
      isMet && isTrue(now, "FailureTarget"),
      conditionsInvalid("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"),
    ),
    ...when(
      job.spec?.successPolicy !== undefined && !isMet && isTrue(now, "Complete"),
      conditionsInvalid("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"),
    ),
  ];
}

function transitionErrors({ job, now, before, hasChanged }: Change): FieldError[] {
  const { completionMode, completions, parallelism, suspend } = job.spec ?? {};
  const mayShrink = completionMode === "Indexed" && completions === parallelism;
  const fewer = (name: "failed" | "succeeded"): FieldError[] =>
    when(
      (now[name] ?? 0) < (before[name] ?? 0),
      fieldInvalid(path.child(name), now[name] ?? 0, `cannot decrease the ${name} counter`),
    );
  const isResuming =
    isTrue(before, "Suspended") &&
    (now.conditions ?? []).some(({ type, status }) => type === "Suspended" && status === "False");
  const isBoth = now.completionTime !== undefined && before.completionTime !== undefined;
  return [
    ...["Failed", "Complete", "FailureTarget"].flatMap((type) =>
      when(
        isTrue(before, type) && !isTrue(now, type),
        conditionsInvalid(`cannot disable the terminal ${type}=True condition`),
      ),
    ),
    ...fewer("failed"),
    ...(mayShrink ? [] : fewer("succeeded")),
    ...when(
      isBoth && hasChanged("completionTime"),
      fieldInvalid(path.child("completionTime"), now.completionTime, "field is immutable"),
    ),
    ...when(
      hasChanged("startTime") && !isResuming && before.startTime !== undefined && suspend !== true,
      fieldInvalid(
        path.child("startTime"),
        now.startTime ?? null,
        "field is immutable for unsuspended job once set",
      ),
    ),
    ...when(
      isTrue(before, "SuccessCriteriaMet") && !isTrue(now, "SuccessCriteriaMet"),
      conditionsInvalid("cannot disable the SuccessCriteriaMet=True condition"),
    ),
    ...when(
      isTrue(before, "Complete") &&
        !isTrue(before, "SuccessCriteriaMet") &&
        isTrue(now, "SuccessCriteriaMet"),
      conditionsInvalid("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"),
    ),
  ];
}

function isTrue({ conditions = [] }: Status, wanted: string): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === "True");
}

function when(isSo: boolean, error: FieldError): FieldError[] {
  return isSo ? [error] : [];
}

function conditionsInvalid(detail: string): FieldError {
  return { type: "FieldValueInvalid", field: String(path.child("conditions")), detail };
}
