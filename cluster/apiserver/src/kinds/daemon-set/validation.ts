import {
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import {
  DaemonSet,
  type DaemonSetSpec,
  type DaemonSetUpdateStrategy,
  type RollingUpdateDaemonSet,
} from "@kedge/machinery/kinds/apps/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import {
  readSelector,
  validateAlwaysRunning,
  validateSelected,
  validateTemplate,
  validateWorkloadSelector,
} from "../pod-spec/pod-template.ts";
import { immutable, nonNegative } from "../validation/field-rules.ts";
import { atMostAll, isZero, positiveIntOrPercent } from "../validation/int-or-percent.ts";

/** What is wrong with a daemon set, and first with changing it so. */
export function validateDaemonSet(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  const spec = decodedAs(DaemonSet, object).spec ?? {};
  const path = fieldPath("spec");
  const { template = {} } = spec;
  const then = previous === undefined ? spec : (decodedAs(DaemonSet, previous).spec ?? {});
  return [
    ...immutable(spec.selector, then.selector, path.child("selector")),
    ...selectorErrors(spec, path),
    ...validateTemplate(template, path.child("template")),
    ...validateAlwaysRunning(template, "DaemonSet", path.child("template")),
    ...nonNegative(spec.minReadySeconds, path.child("minReadySeconds")),
    ...strategyErrors(spec.updateStrategy ?? {}, path.child("updateStrategy")),
    ...nonNegative(spec.revisionHistoryLimit, path.child("revisionHistoryLimit")),
  ];
}

function selectorErrors({ selector, template = {} }: Decoded<DaemonSetSpec>, path: FieldPath): FieldError[] {
  const read = readSelector(selector);
  const text = "empty selector is invalid for daemonset";
  const own = selector === undefined ? [] : validateWorkloadSelector(selector, text, path.child("selector"));
  // Kubernetes names an empty selector after what the template lacks.
  const [empty, others] = [
    own.filter(({ detail }) => detail === text),
    own.filter(({ detail }) => detail !== text),
  ];
  return [
    ...others,
    ...(read === undefined ? [] : validateSelected(template, read, path.child("template"))),
    ...empty,
  ];
}

function strategyErrors(strategy: Decoded<DaemonSetUpdateStrategy>, path: FieldPath): FieldError[] {
  const { type = "", rollingUpdate } = strategy;
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate") {
    // As Go prints its own struct.
    const shown = new Map<string, unknown>([
      ["Type", type],
      ["RollingUpdate", rollingUpdate === undefined ? null : shownRollingUpdate(rollingUpdate)],
    ]);
    return [fieldNotSupported(path, shown, ["RollingUpdate", "OnDelete"])];
  }
  const rolling = path.child("rollingUpdate");
  if (rollingUpdate === undefined) return [fieldRequired(rolling)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const [unavailableAt, surgeAt] = [rolling.child("maxUnavailable"), rolling.child("maxSurge")];
  const [hasUnavailable, hasSurge] = [!isZero(maxUnavailable), !isZero(maxSurge)];
  return [
    ...positiveIntOrPercent(maxUnavailable, unavailableAt),
    ...positiveIntOrPercent(maxSurge, surgeAt),
    ...atMostAll(maxUnavailable, unavailableAt),
    ...atMostAll(maxSurge, surgeAt),
    ...(hasUnavailable && hasSurge
      ? [fieldInvalid(surgeAt, maxSurge, "may not be set when maxUnavailable is non-zero")]
      : []),
    ...(hasUnavailable || hasSurge ? [] : [fieldRequired(unavailableAt, "cannot be 0 when maxSurge is 0")]),
  ];
}

function shownRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: Decoded<RollingUpdateDaemonSet>): unknown {
  return new Map([
    ["MaxUnavailable", maxUnavailable],
    ["MaxSurge", maxSurge],
  ]);
}
