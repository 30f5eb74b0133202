import {
  deepEqual,
  fieldDuplicate,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldNotSupported,
  validateDns1035Label,
  validateDns1123Subdomain,
  validateLabelSelector,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import {
  MutatingWebhookConfiguration,
  type MutatingWebhook,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { labelSelectorOf } from "../../registry/label-selector.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { named, optionalOneOf } from "../validation/field-rules.ts";
import { validateMatchConditions } from "../validation/match-conditions.ts";
import { validateResourceRule } from "../validation/resource-rules.ts";
import { validateClientConfig } from "../validation/webhook-client.ts";

/** What is wrong with a configuration of webhooks, mutating or validating. Conditions that did not change are not looked at. */
export function* validateWebhooks(
  object: StoredApiObject,
  previous?: StoredApiObject,
): Steps<readonly FieldError[]> {
  const webhooks = webhooksOf(object);
  const before = previous === undefined ? undefined : webhooksOf(previous);
  const sameConditions =
    before?.length === webhooks.length &&
    webhooks.every(({ matchConditions }, i) => deepEqual(matchConditions, before[i]?.matchConditions));
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [i, webhook] of webhooks.entries()) {
    const path = fieldPath("webhooks").index(i);
    const { name = "" } = webhook;
    errors.push(...webhookErrors(webhook, path));
    if (!sameConditions) {
      const place = path.child("matchConditions");
      errors.push(...(yield* validateMatchConditions(webhook.matchConditions, place, { params: false })));
    }
    errors.push(
      ...versionErrors(webhook.admissionReviewVersions ?? [], path.child("admissionReviewVersions")),
    );
    if (name !== "" && names.has(name)) errors.push(fieldDuplicate(path.child("name"), name));
    names.add(name);
  }
  return errors;
}

/** Of both kinds: mutating ones have a field more. */
function webhooksOf(object: StoredApiObject): readonly Decoded<MutatingWebhook>[] {
  return decodedAs(MutatingWebhookConfiguration, object).webhooks ?? [];
}

const sideEffectClasses = ["None", "NoneOnDryRun"];

function webhookErrors(webhook: Decoded<MutatingWebhook>, path: FieldPath): FieldError[] {
  const { name = "", rules = [], sideEffects, timeoutSeconds, clientConfig } = webhook;
  return [
    ...nameErrors(name, path.child("name")),
    ...rules.flatMap((rule, i) => validateResourceRule(rule, path.child("rules").index(i))),
    ...optionalOneOf(webhook.failurePolicy, ["Fail", "Ignore"], path.child("failurePolicy")),
    ...optionalOneOf(webhook.matchPolicy, ["Equivalent", "Exact"], path.child("matchPolicy")),
    ...sideEffectErrors(sideEffects, path.child("sideEffects")),
    ...(timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)
      ? [
          fieldInvalid(
            path.child("timeoutSeconds"),
            timeoutSeconds,
            "the timeout value must be between 1 and 30 seconds",
          ),
        ]
      : []),
    ...validateLabelSelector(labelSelectorOf(webhook.namespaceSelector), path.child("namespaceSelector")),
    ...validateLabelSelector(labelSelectorOf(webhook.objectSelector), path.child("objectSelector")),
    ...optionalOneOf(webhook.reinvocationPolicy, ["IfNeeded", "Never"], path.child("reinvocationPolicy")),
    ...validateClientConfig(clientConfig, path.child("clientConfig")),
  ];
}

function nameErrors(name: string, path: FieldPath): FieldError[] {
  if (name === "") return [fieldRequired(path)];
  const faults = validateDns1123Subdomain(name);
  if (faults.length > 0) return [fieldInvalid(path, name, faults.join(","))];
  if (name.split(".").length >= 3) return [];
  return [fieldInvalid(path, name, "should be a domain with at least three segments separated by dots")];
}

/** What a webhook does beside its answer must be nothing when nothing is to be done. */
function sideEffectErrors(sideEffects: string | undefined, path: FieldPath): FieldError[] {
  // Null where Kubernetes writes a field that is not set.
  if (sideEffects === undefined || (sideEffects ?? null) === null)
    return [fieldRequired(path, `must specify one of ${sideEffectClasses.join(", ")}`)];
  return sideEffectClasses.includes(sideEffects)
    ? []
    : [fieldNotSupported(path, sideEffects, sideEffectClasses)];
}

const reviewVersions = ["v1", "v1beta1"];

function versionErrors(versions: readonly string[], path: FieldPath): FieldError[] {
  const known = reviewVersions.join(", ");
  if (versions.length === 0) return [fieldRequired(path, `must specify one of ${known}`)];
  return [
    ...versions.flatMap((version, i) =>
      versions.indexOf(version) < i
        ? [fieldInvalid(path.index(i), version, "duplicate version")]
        : named(version, validateDns1035Label, path.index(i)),
    ),
    ...(versions.some((version) => reviewVersions.includes(version))
      ? []
      : [fieldInvalid(path, versions, `must include at least one of ${known}`)]),
  ];
}
