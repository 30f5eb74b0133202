import {
  clone,
  deepEqual,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  selectorMatches,
  validateDns1123Label,
  validateLabelSelector,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { Job, type JobSpec } from "@kedge/machinery/kinds/batch/v1";
import type { Container, PodTemplateSpec } from "@kedge/machinery/kinds/core/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { labelSelectorOf, labelsOf, shownSelector } from "../../registry/label-selector.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { readSelector } from "../pod-spec/pod-template.ts";
import { immutable } from "../validation/field-rules.ts";
import { generatedLabels } from "./generated-selector.ts";
import { jobSpecErrors } from "./spec-validation.ts";

/** What is wrong with a job by itself. */
export function validateJob(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const { spec = {}, metadata = {} } = decodedAs(Job, object);
  const before =
    previous === undefined ? undefined : decodedAs(Job, previous).spec?.template?.metadata?.labels;
  // Jobs of long ago have no labels with a prefix.
  const names = Object.keys(generatedLabels("", "")).filter(
    (name) => !name.includes("/") || before === undefined || name in before,
  );
  const path = fieldPath("spec");
  const { completions = 0 } = spec;
  const longest = `${metadata.name ?? ""}-${completions - 1}`;
  const isTooLong =
    spec.completionMode === "Indexed" && completions > 0 && validateDns1123Label(longest).length > 0;
  const why = `will not able to create pod with invalid DNS label: ${longest}`;
  const errors = [...generatedErrors(decodedAs(Job, object), names), ...selectedErrors(spec, path)];
  return [...errors, ...(isTooLong ? [fieldInvalid(fieldPath("metadata", "name"), metadata.name, why)] : [])];
}

/** What is wrong with changing a job so. */
export function validateJobUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const now = decodedAs(Job, object).spec ?? {};
  const before = decodedAs(Job, previous);
  const then = before.spec ?? {};
  const path = fieldPath("spec");
  const same = (name: keyof JobSpec): FieldError[] => immutable(now[name], then[name], path.child(name));
  return [
    // Kubernetes says these a second time.
    ...selectedErrors(now, path),
    ...completionsErrors(now, then, path.child("completions")),
    ...same("selector"),
    ...templateErrors(now, before, path.child("template")),
    ...same("completionMode"),
    ...same("podFailurePolicy"),
    ...same("backoffLimitPerIndex"),
    ...same("managedBy"),
    ...same("successPolicy"),
  ];
}

/** A selector that was made for the job selects its pods and nobody else's. */
function generatedErrors({ metadata = {}, spec = {} }: Decoded<Job>, names: readonly string[]): FieldError[] {
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const all = generatedLabels(metadata.name ?? "", metadata.uid ?? "");
  const expected = Object.fromEntries(names.map((name) => [name, all[name] ?? ""]));
  const given = labelsOf(spec.template?.metadata?.labels);
  const path = fieldPath("spec", "template", "metadata");
  const selector = readSelector(spec.selector);
  const isGenerated = selector === undefined || selectorMatches(selector, expected);
  return [
    ...Object.entries(expected).flatMap(([name, value]): FieldError[] => {
      const at = path.child("labels").key(name);
      if (given[name] === value) return [];
      if (given[name] === undefined) return [fieldRequired(at, `must be '${value}'`)];
      return [fieldInvalid(at, spec.template?.metadata?.labels, `must be '${value}'`)];
    }),
    ...(isGenerated
      ? []
      : [
          fieldInvalid(
            fieldPath("spec", "selector"),
            shownSelector(spec.selector),
            "`selector` not auto-generated",
          ),
        ]),
  ];
}

function selectedErrors(spec: Decoded<JobSpec>, path: FieldPath): FieldError[] {
  const { selector, template } = spec;
  const read = readSelector(selector);
  const labels = template?.metadata?.labels;
  const isMatch = read === undefined || selectorMatches(read, labelsOf(labels));
  return [
    ...jobSpecErrors(spec, path),
    ...(selector === undefined
      ? [fieldRequired(path.child("selector"))]
      : validateLabelSelector(labelSelectorOf(selector), path.child("selector"))),
    ...(isMatch
      ? []
      : [
          fieldInvalid(
            path.child("template", "metadata", "labels"),
            labels ?? null,
            "`selector` does not match template `labels`",
          ),
        ]),
  ];
}

function completionsErrors(now: Decoded<JobSpec>, then: Decoded<JobSpec>, path: FieldPath): FieldError[] {
  if (now.completionMode !== "Indexed") return immutable(now.completions, then.completions, path);
  if (now.completions === then.completions || now.completions === undefined) return [];
  if (now.completions === now.parallelism) return [];
  return [fieldInvalid(path, now.completions, "can only be modified in tandem with spec.parallelism")];
}

/** The template of a job that runs never changes; that of a suspended one may in where and with what its pods run. */
function templateErrors(now: Decoded<JobSpec>, before: Decoded<Job>, path: FieldPath): FieldError[] {
  const { spec: then = {}, status = {} } = before;
  const isSuspended = then.suspend === true;
  const isIdle =
    isSuspended &&
    (status.active ?? 0) === 0 &&
    (status.startTime === undefined ||
      (status.conditions ?? []).some(
        (condition) => condition.type === "Suspended" && condition.status === "True",
      ));
  const [template = {}, old = {}] = [now.template, then.template];
  if (!isIdle) return immutable(template, old, path);
  const allowed = withResources(withPlacement(old, template), template);
  const rest = { metadata: template.metadata ?? {}, spec: template.spec ?? {} };
  return deepEqual({ metadata: allowed.metadata ?? {}, spec: allowed.spec ?? {} }, rest)
    ? []
    : immutable(template.spec ?? {}, allowed.spec ?? {}, path.child("spec"));
}

/** An old template with what a new one says of where its pods run. */
function withPlacement(
  old: Decoded<PodTemplateSpec>,
  { metadata, spec }: Decoded<PodTemplateSpec>,
): Decoded<PodTemplateSpec> {
  const copy = clone(old);
  const { nodeAffinity: _, ...others } = copy.spec?.affinity ?? {};
  const affinity = { ...others, nodeAffinity: spec?.affinity?.nodeAffinity };
  const isSet = Object.values(affinity).some((value) => value !== undefined) || spec?.affinity !== undefined;
  return {
    ...copy,
    metadata: { ...copy.metadata, labels: metadata?.labels, annotations: metadata?.annotations },
    spec: {
      ...copy.spec,
      affinity: isSet ? affinity : undefined,
      nodeSelector: spec?.nodeSelector,
      tolerations: spec?.tolerations,
      schedulingGates: spec?.schedulingGates,
    },
  };
}

/** An old template with what a new one says of the resources of the same containers. */
function withResources(
  old: Decoded<PodTemplateSpec>,
  { spec }: Decoded<PodTemplateSpec>,
): Decoded<PodTemplateSpec> {
  return {
    ...old,
    spec: {
      ...old.spec,
      containers: taken(old.spec?.containers, spec?.containers),
      initContainers: taken(old.spec?.initContainers, spec?.initContainers),
    },
  };
}

function taken(
  containers: readonly Decoded<Container>[] | undefined,
  from: readonly Decoded<Container>[] | undefined,
): Decoded<Container>[] | undefined {
  const isSame = containers?.length === from?.length;
  return containers?.map((container, i) =>
    isSame && container.name === from?.[i]?.name
      ? { ...container, resources: from?.[i]?.resources }
      : container,
  );
}
