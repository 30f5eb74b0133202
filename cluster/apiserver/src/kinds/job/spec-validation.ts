import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { JobSpec, SuccessPolicy } from "@kedge/machinery/kinds/batch/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateTemplate } from "../pod-spec/pod-template.ts";
import { nonNegative, optionalOneOf } from "../validation/field-rules.ts";
import { failurePolicyErrors, successPolicyErrors } from "./policy-validation.ts";

/** What is wrong with the spec of a job, or of the jobs that a CronJob makes, but for the selector. */
export function jobSpecErrors(spec: Decoded<JobSpec>, path: FieldPath): FieldError[] {
  return [
    ...numbers.flatMap((name) => nonNegative(spec[name], path.child(name))),
    ...nonNegative(spec.maxFailedIndexes, path.child("maxFailedIndexes")),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [fieldRequired(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified")]
      : []),
    ...(spec.managedBy === undefined ? [] : managerErrors(spec.managedBy, path.child("managedBy"))),
    ...modeErrors(spec, path),
    ...(spec.podFailurePolicy === undefined ? [] : failurePolicyErrors(spec, path.child("podFailurePolicy"))),
    ...(spec.successPolicy === undefined ? [] : successErrors(spec, path.child("successPolicy"))),
    ...replacementErrors(spec, path.child("podReplacementPolicy")),
    ...validateTemplate(spec.template ?? {}, path.child("template")),
    ...restartErrors(spec, path.child("template", "spec", "restartPolicy")),
  ];
}

const numbers = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
] as const;

const longestManager = 63;
const mostIndexes = 100_000;
const mostOfMany = 10_000;

/** Who manages a job: `example.com/name`. */
function managerErrors(manager: string, path: FieldPath): FieldError[] {
  if (manager === "") return [fieldRequired(path)];
  const slash = manager.indexOf("/");
  if (slash < 1 || slash === manager.length - 1) {
    return [
      fieldInvalid(path, manager, 'must be a domain-prefixed path (such as "acme.io/foo")'),
      ...(manager.length > longestManager ? [fieldTooLong(path, longestManager)] : []),
    ];
  }
  const [host, name] = [manager.slice(0, slash), manager.slice(slash + 1)];
  const isPath = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/u.test(name);
  return [
    ...validateDns1123Subdomain(host).map((fault) => fieldInvalid(path, host, fault)),
    ...(isPath
      ? []
      : [
          fieldInvalid(
            path,
            name,
            "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
          ),
        ]),
    ...(manager.length > longestManager ? [fieldTooLong(path, longestManager)] : []),
  ];
}

function modeErrors(spec: Decoded<JobSpec>, path: FieldPath): FieldError[] {
  const { completionMode: mode = "NonIndexed", backoffLimitPerIndex, maxFailedIndexes } = spec;
  const errors = optionalOneOf(mode, ["NonIndexed", "Indexed"], path.child("completionMode"));
  if (mode === "Indexed") return [...errors, ...indexedErrors(spec, path)];
  if (mode !== "NonIndexed") return errors;
  const why = "requires indexed completion mode";
  return [
    ...errors,
    ...(backoffLimitPerIndex === undefined
      ? []
      : [fieldInvalid(path.child("backoffLimitPerIndex"), backoffLimitPerIndex, why)]),
    ...(maxFailedIndexes === undefined
      ? []
      : [fieldInvalid(path.child("maxFailedIndexes"), maxFailedIndexes, why)]),
  ];
}

function indexedErrors(spec: Decoded<JobSpec>, path: FieldPath): FieldError[] {
  const { completions, maxFailedIndexes } = spec;
  const atMost = atMostRule(spec, path);
  const isMany = (completions ?? 0) > mostIndexes && spec.backoffLimitPerIndex !== undefined;
  const whenMany = ` when completions are above ${mostIndexes} and used with backoff limit per index`;
  return [
    ...(completions === undefined
      ? [fieldRequired(path.child("completions"), "when completion mode is Indexed")]
      : []),
    ...atMost("parallelism", mostIndexes, `${mostIndexes} when completion mode is Indexed`),
    ...(completions === undefined ? [] : atMost("maxFailedIndexes", completions, "completions")),
    ...atMost("maxFailedIndexes", mostIndexes, `${mostIndexes}`),
    ...(isMany && maxFailedIndexes === undefined
      ? [
          fieldRequired(
            path.child("maxFailedIndexes"),
            `must be specified when completions is above ${mostIndexes}`,
          ),
        ]
      : []),
    ...(isMany ? atMost("parallelism", mostOfMany, `${mostOfMany}${whenMany}`) : []),
    ...(isMany ? atMost("maxFailedIndexes", mostOfMany, `${mostOfMany}${whenMany}`) : []),
  ];
}

function atMostRule(spec: Decoded<JobSpec>, path: FieldPath) {
  return (name: "parallelism" | "maxFailedIndexes", most: number, what: string): FieldError[] => {
    const value = spec[name] ?? 0;
    return value > most
      ? [fieldInvalid(path.child(name), value, `must be less than or equal to ${what}`)]
      : [];
  };
}

function successErrors(spec: Decoded<JobSpec>, path: FieldPath): FieldError[] {
  if (spec.completionMode === "Indexed") return successPolicyErrors(spec, path);
  return [
    fieldInvalid(path, shownSuccessPolicy(spec.successPolicy ?? {}), "requires indexed completion mode"),
  ];
}

/** As Go prints its own struct. */
function shownSuccessPolicy({ rules }: Decoded<SuccessPolicy>): unknown {
  const shown = rules?.map(
    ({ succeededIndexes = null, succeededCount = null }) =>
      new Map<string, unknown>([
        ["SucceededIndexes", succeededIndexes],
        ["SucceededCount", succeededCount],
      ]),
  );
  return new Map([["Rules", shown ?? null]]);
}

function replacementErrors(
  { podReplacementPolicy: policy, podFailurePolicy }: Decoded<JobSpec>,
  path: FieldPath,
): FieldError[] {
  return optionalOneOf(
    policy,
    podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"],
    path,
  );
}

function restartErrors({ template, podFailurePolicy }: Decoded<JobSpec>, path: FieldPath): FieldError[] {
  const policy = template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") {
    return [fieldRequired(path, 'valid values: "OnFailure", "Never"')];
  }
  if (policy !== "OnFailure" && policy !== "Never") {
    return [fieldNotSupported(path, policy, ["OnFailure", "Never"])];
  }
  if (podFailurePolicy === undefined || policy === "Never") return [];
  return [fieldInvalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}
