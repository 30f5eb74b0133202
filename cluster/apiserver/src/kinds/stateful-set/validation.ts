import {
  deepEqual,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateDns1123Label,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from "@kedge/machinery/kinds/apps/v1";
import type { PodTemplateSpec, Volume } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { shownSelector } from "../../registry/label-selector.ts";
import { named, nonNegative, optionalOneOf } from "../validation/field-rules.ts";
import { atMostAll, isZero, positiveIntOrPercent } from "../validation/int-or-percent.ts";
import { validateClaimSpec } from "../persistent-volume-claim/validation.ts";
import {
  readSelector,
  validateAlwaysRunning,
  validateSelected,
  validateTemplate,
  validateTemplateMeta,
  validateWorkloadSelector,
} from "../pod-spec/pod-template.ts";

/** What is wrong with a stateful set by itself. What cannot change was right when it came. */
export function validateStatefulSet(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const isNew = previous === undefined;
  const spec = decodedAs(StatefulSet, object).spec ?? {};
  const path = fieldPath("spec");
  return [
    ...policyErrors(spec, path.child("podManagementPolicy")),
    ...strategyErrors(spec, path.child("updateStrategy")),
    ...retentionErrors(spec, path.child("persistentVolumeClaimRetentionPolicy")),
    ...(isNew ? (spec.volumeClaimTemplates ?? []) : []).flatMap((claim, i) =>
      validateClaimSpec(claim.spec ?? {}, path.child("volumeClaimTemplates").index(i).child("spec")),
    ),
    ...nonNegative(spec.replicas, path.child("replicas")),
    ...nonNegative(spec.minReadySeconds, path.child("minReadySeconds")),
    ...nonNegative(spec.ordinals?.start, path.child("ordinals.start")),
    ...((spec.serviceName ?? "") === "" || !isNew
      ? []
      : named(spec.serviceName ?? "", validateDns1123Label, path.child("serviceName"))),
    ...selectorAndTemplateErrors(spec, path),
  ];
}

/** What is wrong with changing a stateful set so. */
export function validateStatefulSetUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const now = decodedAs(StatefulSet, object).spec ?? {};
  const then = decodedAs(StatefulSet, previous).spec ?? {};
  if (deepEqual(fixed(now), fixed(then))) return [];
  return [
    fieldForbidden(
      fieldPath("spec"),
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
}

/** What may not change. */
function fixed({
  replicas: _replicas,
  template: _template,
  updateStrategy: _updateStrategy,
  minReadySeconds: _minReadySeconds,
  ordinals: _ordinals,
  revisionHistoryLimit: _revisionHistoryLimit,
  persistentVolumeClaimRetentionPolicy: _retention,
  ...rest
}: Decoded<StatefulSetSpec>): Decoded<StatefulSetSpec> {
  return rest;
}

function policyErrors(
  { podManagementPolicy: policy = "" }: Decoded<StatefulSetSpec>,
  path: FieldPath,
): FieldError[] {
  if (policy === "") return [fieldRequired(path)];
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  return [fieldInvalid(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function strategyErrors({ updateStrategy = {} }: Decoded<StatefulSetSpec>, path: FieldPath): FieldError[] {
  const { type = "", rollingUpdate } = updateStrategy;
  const rolling = path.child("rollingUpdate");
  if (type === "") return [fieldRequired(path)];
  if (type === "OnDelete") {
    if (rollingUpdate === undefined) return [];
    const why = "only allowed for updateStrategy 'RollingUpdate'";
    return [fieldInvalid(rolling, shownRollingUpdate(rollingUpdate), why)];
  }
  if (type !== "RollingUpdate")
    return [fieldInvalid(path, shownStrategy(updateStrategy), "must be 'RollingUpdate' or 'OnDelete'")];
  const { partition, maxUnavailable } = rollingUpdate ?? {};
  const unavailable = rolling.child("maxUnavailable");
  return [
    ...nonNegative(partition, rolling.child("partition")),
    ...positiveIntOrPercent(maxUnavailable, unavailable),
    ...(maxUnavailable !== undefined && isZero(maxUnavailable)
      ? [fieldInvalid(unavailable, maxUnavailable, "cannot be 0")]
      : []),
    ...atMostAll(maxUnavailable, unavailable),
  ];
}

/** As Go prints its own structs. */
function shownStrategy({ type = "", rollingUpdate }: Decoded<StatefulSetUpdateStrategy>): unknown {
  return new Map<string, unknown>([
    ["Type", type],
    ["RollingUpdate", rollingUpdate === undefined ? null : shownRollingUpdate(rollingUpdate)],
  ]);
}

function shownRollingUpdate({
  partition = 0,
  maxUnavailable,
}: Decoded<RollingUpdateStatefulSetStrategy>): unknown {
  return new Map<string, unknown>([
    ["Partition", partition],
    ["MaxUnavailable", maxUnavailable ?? null],
  ]);
}

function retentionErrors(
  { persistentVolumeClaimRetentionPolicy: policy }: Decoded<StatefulSetSpec>,
  path: FieldPath,
): FieldError[] {
  return (["whenDeleted", "whenScaled"] as const).flatMap((when) =>
    optionalOneOf(policy?.[when], ["Retain", "Delete"], path.child(when)),
  );
}

function selectorAndTemplateErrors(spec: Decoded<StatefulSetSpec>, path: FieldPath): FieldError[] {
  const selectorPath = path.child("selector");
  const templatePath = path.child("template");
  const { selector, template = {} } = spec;
  const errors = validateWorkloadSelector(
    selector,
    "empty selector is invalid for statefulset",
    selectorPath,
  );
  const read = readSelector(selector);
  return [
    ...errors,
    ...(read === undefined
      ? [fieldInvalid(selectorPath, shownSelector(selector), "")]
      : [
          ...validateSelected(template, read, templatePath),
          ...validateTemplate(asPodsWillBe(spec, template), templatePath),
          // Kubernetes says these a second time.
          ...validateTemplateMeta(template, templatePath),
        ]),
    ...validateAlwaysRunning(template, "StatefulSet", templatePath),
  ];
}

/** The controller sets hostname and subdomain, and adds a volume for each claim. */
function asPodsWillBe(
  { volumeClaimTemplates = [] }: Decoded<StatefulSetSpec>,
  template: Decoded<PodTemplateSpec>,
): Decoded<PodTemplateSpec> {
  const claims = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ""));
  const added: Decoded<Volume>[] = Array.from(claims, (name) => ({
    name,
    persistentVolumeClaim: { claimName: name },
  }));
  const others = (template.spec?.volumes ?? []).filter((volume) => !claims.has(volume.name ?? ""));
  const { hostname: _hostname, subdomain: _subdomain, ...spec } = template.spec ?? {};
  return { ...template, spec: { ...spec, volumes: [...added, ...others] } };
}
