import {
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  parseSchedule,
  ScheduleError,
  timeZone,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { CronJob, type CronJobSpec, type JobTemplateSpec } from "@kedge/machinery/kinds/batch/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { shownSelector } from "../../registry/label-selector.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { jobSpecErrors } from "../job/spec-validation.ts";
import { nonNegative, oneOf } from "../validation/field-rules.ts";

/** The controller adds the minute to the name of each job, which may have 63 characters. */
const longestName = 52;

/** What is wrong with a CronJob by itself. */
export function validateCronJob(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const { spec = {}, metadata = {} } = decodedAs(CronJob, object);
  const then = previous === undefined ? undefined : (decodedAs(CronJob, previous).spec ?? {});
  const path = fieldPath("spec");
  const { name = "" } = metadata;
  return [
    ...scheduleErrors(spec, then, path.child("schedule")),
    ...nonNegative(spec.startingDeadlineSeconds, path.child("startingDeadlineSeconds")),
    ...(then !== undefined && then.timeZone === spec.timeZone
      ? []
      : zoneErrors(spec, path.child("timeZone"))),
    ...oneOf(spec.concurrencyPolicy, ["Allow", "Forbid", "Replace"], path.child("concurrencyPolicy")),
    ...templateErrors(spec.jobTemplate ?? {}, path.child("jobTemplate")),
    ...nonNegative(spec.successfulJobsHistoryLimit, path.child("successfulJobsHistoryLimit")),
    ...nonNegative(spec.failedJobsHistoryLimit, path.child("failedJobsHistoryLimit")),
    ...(then === undefined && name.length > longestName
      ? [fieldInvalid(fieldPath("metadata", "name"), name, "must be no more than 52 characters")]
      : []),
  ];
}

function scheduleErrors(
  { schedule = "", timeZone: zone }: Decoded<CronJobSpec>,
  then: Decoded<CronJobSpec> | undefined,
  path: FieldPath,
): FieldError[] {
  if (schedule === "") return [fieldRequired(path)];
  const hasZone = schedule.includes("TZ");
  const mayHaveZone = then?.schedule?.includes("TZ") === true;
  const fault = faultIn(schedule);
  return [
    ...(fault === undefined ? [] : [fieldInvalid(path, schedule, fault)]),
    ...(hasZone && mayHaveZone && zone !== undefined
      ? [fieldInvalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")]
      : []),
    ...(hasZone && !mayHaveZone
      ? [fieldInvalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")]
      : []),
  ];
}

function faultIn(schedule: string): string | undefined {
  try {
    parseSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

function zoneErrors({ timeZone: name }: Decoded<CronJobSpec>, path: FieldPath): FieldError[] {
  if (name === undefined) return [];
  if (name === "") return [fieldInvalid(path, name, "timeZone must be nil or non-empty string")];
  const unknown = fieldInvalid(path, name, `unknown time zone ${name}`);
  const isName = name
    .split("/")
    .every((part) => !/^\.\.?$|^-/u.test(part) && /^[A-Za-z.\-_0-9+]{1,14}$/u.test(part));
  if (!isName) return [unknown];
  const isLocal = name.toLowerCase() === "local";
  const why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  return [
    ...(isLocal ? [fieldInvalid(path, name, why)] : []),
    // Go knows one more name.
    ...(name === "Local" || timeZone(name) !== undefined ? [] : [unknown]),
  ];
}

function templateErrors({ spec = {} }: Decoded<JobTemplateSpec>, path: FieldPath): FieldError[] {
  const at = path.child("spec");
  return [
    ...jobSpecErrors(spec, at),
    ...(spec.selector === undefined
      ? []
      : [
          fieldInvalid(
            at.child("selector"),
            shownSelector(spec.selector),
            "`selector` will be auto-generated",
          ),
        ]),
    ...(spec.manualSelector === true
      ? [fieldNotSupported(at.child("manualSelector"), true, ["nil", "false"])]
      : []),
  ];
}
