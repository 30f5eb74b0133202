import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import type {
  DeploymentSpec,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from "@kedge/machinery/kinds/apps/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { shownSelector } from "../../registry/label-selector.ts";
import { immutable, nonNegative } from "../validation/field-rules.ts";
import { atMostAll, isZero, positiveIntOrPercent } from "../validation/int-or-percent.ts";
import {
  readSelector,
  validateAlwaysRunning,
  validateSelected,
  validateTemplate,
  validateWorkloadSelector,
} from "../pod-spec/pod-template.ts";

/** What is wrong with a deployment by itself. */
export function validateDeployment(object: StoredApiObject): FieldError[] {
  const spec = decodedAs(Deployment, object).spec ?? {};
  const path = fieldPath("spec");
  return [
    ...nonNegative(spec.replicas, path.child("replicas")),
    ...validateSelectorAndTemplate(spec, "ReplicaSet", path),
    ...strategyErrors(spec.strategy ?? {}, path.child("strategy")),
    ...nonNegative(spec.minReadySeconds, path.child("minReadySeconds")),
    ...nonNegative(spec.revisionHistoryLimit, path.child("revisionHistoryLimit")),
    ...deadlineErrors(spec, path.child("progressDeadlineSeconds")),
  ];
}

/** What is wrong with changing a deployment so. */
export function validateDeploymentUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const path = fieldPath("spec", "selector");
  return immutable(
    decodedAs(Deployment, object).spec?.selector,
    decodedAs(Deployment, previous).spec?.selector,
    path,
  );
}

/** Selector and template of a deployment or a replica set. */
export function validateSelectorAndTemplate(
  { selector, template = {} }: Pick<Decoded<DeploymentSpec>, "selector" | "template">,
  kind: string,
  path: FieldPath,
): FieldError[] {
  const selectorPath = path.child("selector");
  const errors = validateWorkloadSelector(selector, "empty selector is invalid for deployment", selectorPath);
  const read = readSelector(selector);
  if (read === undefined)
    return [...errors, fieldInvalid(selectorPath, shownSelector(selector), "invalid label selector")];
  const templatePath = path.child("template");
  return [
    ...errors,
    ...validateSelected(template, read, templatePath),
    ...validateTemplate(template, templatePath),
    ...validateAlwaysRunning(template, kind, templatePath),
  ];
}

function strategyErrors(strategy: Decoded<DeploymentStrategy>, path: FieldPath): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const rolling = path.child("rollingUpdate");
  if (type === "Recreate") {
    if (rollingUpdate === undefined) return [];
    return [fieldForbidden(rolling, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== "RollingUpdate") {
    // As Go prints its own struct.
    const shown = new Map<string, unknown>([
      ["Type", type ?? ""],
      ["RollingUpdate", rollingUpdate === undefined ? null : shownRollingUpdate(rollingUpdate)],
    ]);
    return [fieldNotSupported(path, shown, ["Recreate", "RollingUpdate"])];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const unavailable = rolling.child("maxUnavailable");
  return [
    ...positiveIntOrPercent(maxUnavailable, unavailable),
    ...positiveIntOrPercent(maxSurge, rolling.child("maxSurge")),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [fieldInvalid(unavailable, maxUnavailable ?? 0, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...atMostAll(maxUnavailable, unavailable),
  ];
}

function shownRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: Decoded<RollingUpdateDeployment>): unknown {
  return new Map([
    ["MaxUnavailable", maxUnavailable],
    ["MaxSurge", maxSurge],
  ]);
}

function deadlineErrors(
  { progressDeadlineSeconds, minReadySeconds = 0 }: Decoded<DeploymentSpec>,
  path: FieldPath,
): FieldError[] {
  if (progressDeadlineSeconds === undefined) return [];
  return [
    ...nonNegative(progressDeadlineSeconds, path),
    ...(progressDeadlineSeconds <= minReadySeconds
      ? [fieldInvalid(path, progressDeadlineSeconds, "must be greater than minReadySeconds")]
      : []),
  ];
}
