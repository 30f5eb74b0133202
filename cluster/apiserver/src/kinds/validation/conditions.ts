import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { Condition } from "@kedge/machinery/kinds/meta/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named } from "./field-rules.ts";

const longestReason = 1024;
const longestMessage = 32 * 1024;
const reasonPattern = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/u;
const reasonFault =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/** What is wrong with conditions in the form that newer kinds share. */
export function validateConditions(
  conditions: readonly Decoded<Condition>[] | undefined,
  path: FieldPath,
): FieldError[] {
  const types = (conditions ?? []).map(({ type = "" }) => type);
  return (conditions ?? []).flatMap((condition, i) => [
    ...(types.indexOf(condition.type ?? "") < i
      ? [fieldDuplicate(path.index(i).child("type"), condition.type ?? "")]
      : []),
    ...conditionErrors(condition, path.index(i)),
  ]);
}

function conditionErrors(condition: Decoded<Condition>, path: FieldPath): FieldError[] {
  const { type = "", status = "", observedGeneration = 0, reason = "", message = "" } = condition;
  const statuses = ["False", "True", "Unknown"];
  return [
    ...named(type, validateQualifiedName, path.child("type")),
    ...(statuses.includes(status) ? [] : [fieldNotSupported(path.child("status"), status, statuses)]),
    ...(observedGeneration < 0
      ? [
          fieldInvalid(
            path.child("observedGeneration"),
            observedGeneration,
            "must be greater than or equal to zero",
          ),
        ]
      : []),
    // Null where Kubernetes writes a time that is not set.
    ...((condition.lastTransitionTime ?? null) === null
      ? [fieldRequired(path.child("lastTransitionTime"))]
      : []),
    ...reasonErrors(reason, path.child("reason")),
    ...(Buffer.byteLength(message) > longestMessage
      ? [fieldTooLong(path.child("message"), longestMessage)]
      : []),
  ];
}

function reasonErrors(reason: string, path: FieldPath): FieldError[] {
  if (reason === "") return [fieldRequired(path)];
  return [
    ...(reasonPattern.test(reason) ? [] : [fieldInvalid(path, reason, reasonFault)]),
    ...(reason.length > longestReason ? [fieldTooLong(path, longestReason)] : []),
  ];
}
