import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  selectorFromLabelSelector,
  selectorMatches,
  validateLabelSelector,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
  type Selector,
} from "@kedge/machinery";
import type { PodTemplateSpec } from "@kedge/machinery/kinds/core/v1";
import type { LabelSelector } from "@kedge/machinery/kinds/meta/v1";
import { labelSelectorOf, labelsOf, shownSelector } from "../../registry/label-selector.ts";
import type { Decoded } from "../../registry/decoded.ts";
import { named, validLabels } from "../validation/field-rules.ts";
import { validatePodSpec } from "./pod-spec.ts";

/** What is wrong with a template for pods. */
export function validateTemplate(template: Decoded<PodTemplateSpec>, path: FieldPath): FieldError[] {
  const { spec = {} } = template;
  return [
    ...validateTemplateMeta(template, path),
    ...validatePodSpec(spec, path.child("spec")),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [
          fieldForbidden(
            path.child("spec", "ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
          ),
        ]
      : []),
  ];
}

/** What is wrong with the labels and annotations that pods will get. */
export function validateTemplateMeta({ metadata }: Decoded<PodTemplateSpec>, path: FieldPath): FieldError[] {
  return [
    ...validLabels(metadata?.labels, path.child("labels")),
    ...Object.keys(metadata?.annotations ?? {}).flatMap((key) =>
      named(key.toLowerCase(), validateQualifiedName, path.child("annotations")),
    ),
  ];
}

/** What is wrong with the selector of a workload. `emptyText` says why it may not select everything. */
export function validateWorkloadSelector(
  selector: Decoded<LabelSelector> | undefined,
  emptyText: string,
  path: FieldPath,
): FieldError[] {
  // Null when it was left out.
  if ((selector ?? null) === null || selector === undefined) return [fieldRequired(path)];
  const count = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length;
  return [
    ...validateLabelSelector(labelSelectorOf(selector), path),
    ...(count === 0 ? [fieldInvalid(path, shownSelector(selector), emptyText)] : []),
  ];
}

/** The selector, when it can be read. */
export function readSelector(selector: Decoded<LabelSelector> | undefined): Selector | undefined {
  try {
    return selectorFromLabelSelector(labelSelectorOf(selector));
  } catch {
    return undefined;
  }
}

/** A workload must select the pods that it makes. */
export function validateSelected(
  { metadata }: Decoded<PodTemplateSpec>,
  selector: Selector,
  path: FieldPath,
): FieldError[] {
  // An empty selector selects everything: another rule refuses it.
  if (selector.requirements.length === 0 && selectorMatches(selector, {})) return [];
  if (selectorMatches(selector, labelsOf(metadata?.labels))) return [];
  const labels = path.child("metadata", "labels");
  return [fieldInvalid(labels, metadata?.labels ?? null, "`selector` does not match template `labels`")];
}

/** Workloads that keep their pods running restart them always, and without end. */
export function validateAlwaysRunning(
  { spec }: Decoded<PodTemplateSpec>,
  kind: string,
  path: FieldPath,
): FieldError[] {
  const policy = spec?.restartPolicy ?? "";
  return [
    ...(policy === "Always"
      ? []
      : [fieldNotSupported(path.child("spec", "restartPolicy"), policy, ["Always"])]),
    ...(spec?.activeDeadlineSeconds === undefined
      ? []
      : [
          fieldForbidden(
            path.child("spec", "activeDeadlineSeconds"),
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
}
