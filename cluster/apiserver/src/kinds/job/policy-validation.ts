import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "@kedge/machinery/kinds/batch/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named, nonNegative } from "../validation/field-rules.ts";
import { readIndexes } from "./index-text.ts";

const mostRules = 20;
const mostExitCodes = 255;
const mostPatterns = 20;
const longestIndexes = 64 * 1024;

/** What is wrong with the policy for failed pods. */
export function failurePolicyErrors(spec: Decoded<JobSpec>, path: FieldPath): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const { containers, initContainers } = spec.template?.spec ?? {};
  // Null when they were left out.
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name ?? ""));
  return [
    ...tooMany(rules, mostRules, path.child("rules")),
    ...rules.flatMap((rule, i) =>
      failureRuleErrors(spec, rule, { names, path: path.child("rules").index(i) }),
    ),
  ];
}

/** What is wrong with the policy for success. Only indexed jobs have one, so the completions are there. */
export function successPolicyErrors(
  { successPolicy, completions = 0 }: Decoded<JobSpec>,
  path: FieldPath,
): FieldError[] {
  const rules = successPolicy?.rules ?? [];
  const at = path.child("rules");
  return [
    ...(rules.length === 0
      ? [fieldRequired(at, "at least one rules must be specified when the successPolicy is specified")]
      : []),
    ...tooMany(rules, mostRules, at),
    ...rules.flatMap((rule, i) => successRuleErrors(rule, completions, at.index(i))),
  ];
}

function failureRuleErrors(
  spec: Decoded<JobSpec>,
  { action = "", onExitCodes, onPodConditions = [] }: Decoded<PodFailurePolicyRule>,
  { names, path }: { readonly names: ReadonlySet<string>; readonly path: FieldPath },
): FieldError[] {
  return [
    ...actionErrors(spec, action, path.child("action")),
    ...(onExitCodes === undefined ? [] : exitCodeErrors(onExitCodes, names, path.child("onExitCodes"))),
    ...conditionErrors(onPodConditions, path.child("onPodConditions")),
    ...oneOfBoth(onExitCodes !== undefined, onPodConditions.length > 0, path),
  ];
}

function actionErrors(spec: Decoded<JobSpec>, action: string, path: FieldPath): FieldError[] {
  if (action === "") return [fieldRequired(path, validValues(actions))];
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    return [fieldInvalid(path, action, "requires the backoffLimitPerIndex to be set")];
  }
  return actions.includes(action) ? [] : [fieldNotSupported(path, action, actions)];
}

function oneOfBoth(hasCodes: boolean, hasConditions: boolean, path: FieldPath): FieldError[] {
  if (hasCodes !== hasConditions) return [];
  const why = hasCodes
    ? "specifying both OnExitCodes and OnPodConditions is not supported"
    : "specifying one of OnExitCodes and OnPodConditions is required";
  return [{ type: "FieldValueInvalid", field: String(path), detail: why }];
}

function conditionErrors(
  patterns: readonly Decoded<PodFailurePolicyOnPodConditionsPattern>[],
  path: FieldPath,
): FieldError[] {
  return [
    ...tooMany(patterns, mostPatterns, path),
    ...patterns.flatMap(({ type = "", status = "" }, i) => [
      ...named(type, validateQualifiedName, path.index(i).child("type")),
      ...requiredOneOf(status, statuses, path.index(i).child("status")),
    ]),
  ];
}

function exitCodeErrors(
  { operator = "", containerName, values = [] }: Decoded<PodFailurePolicyOnExitCodesRequirement>,
  names: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const at = path.child("values");
  const why = "must be one of the container or initContainer names in the pod template";
  const isOrdered = values.every((value, i) => i === 0 || (values[i - 1] ?? 0) <= value);
  return [
    ...requiredOneOf(operator, operators, path.child("operator")),
    ...(containerName === undefined || names.has(containerName)
      ? []
      : [fieldInvalid(path.child("containerName"), containerName, why)]),
    ...(values.length === 0 ? [fieldInvalid(at, values, "at least one value is required")] : []),
    ...tooMany(values, mostExitCodes, at),
    ...values.flatMap((value, i) => [
      ...(operator === "In" && value === 0
        ? [fieldInvalid(at.index(i), value, "must not be 0 for the In operator")]
        : []),
      ...(values.indexOf(value) < i ? [fieldDuplicate(at.index(i), value)] : []),
    ]),
    ...(isOrdered ? [] : [fieldInvalid(at, values, "must be ordered")]),
  ];
}

function successRuleErrors(
  { succeededCount: count, succeededIndexes: indexes }: Decoded<SuccessPolicyRule>,
  completions: number,
  path: FieldPath,
): FieldError[] {
  const read = readIndexes(indexes ?? "", completions);
  const total = "count" in read ? read.count : 0;
  const atMost = (most: number, what: string): FieldError[] =>
    count !== undefined && count > most
      ? [fieldInvalid(path.child("succeededCount"), count, `must be less than or equal to ${most} (${what})`)]
      : [];
  return [
    ...(count === undefined && indexes === undefined
      ? [fieldRequired(path, "at least one of succeededCount or succeededIndexes must be specified")]
      : []),
    ...((indexes ?? "").length > longestIndexes
      ? [fieldTooLong(path.child("succeededIndexes"), longestIndexes)]
      : []),
    ...("fault" in read
      ? [
          fieldInvalid(
            path.child("succeededIndexes"),
            indexes,
            `error parsing succeededIndexes: ${read.fault}`,
          ),
        ]
      : []),
    ...nonNegative(count, path.child("succeededCount")),
    ...atMost(completions, "the number of specified completions"),
    ...(indexes === undefined
      ? []
      : atMost(total, "the number of indexes in the specified succeededIndexes field")),
  ];
}

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

function requiredOneOf(value: string, supported: readonly string[], path: FieldPath): FieldError[] {
  if (value === "") return [fieldRequired(path, validValues(supported))];
  return supported.includes(value) ? [] : [fieldNotSupported(path, value, supported)];
}

function validValues(supported: readonly string[]): string {
  return `valid values: [${supported.map((value) => JSON.stringify(value)).join(" ")}]`;
}

function tooMany(list: readonly unknown[], most: number, path: FieldPath): FieldError[] {
  return list.length > most ? [fieldTooMany(path, list.length, most)] : [];
}
