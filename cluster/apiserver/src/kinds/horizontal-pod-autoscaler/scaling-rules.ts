import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { HPAScalingRules } from "@kedge/machinery/kinds/autoscaling/v2";
import type { Decoded } from "../../registry/decoded.ts";
import { optionalOneOf } from "../validation/field-rules.ts";

/** What is wrong with how fast an autoscaler may go in one direction. */
export function validateScalingRules(
  rules: Decoded<HPAScalingRules> | undefined,
  path: FieldPath,
): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [] } = rules;
  const window = path.child("stabilizationWindowSeconds");
  const at = path.child("policies");
  return [
    ...(seconds !== undefined && seconds < 0
      ? [fieldInvalid(window, seconds, "must be greater than or equal to zero")]
      : []),
    ...(seconds !== undefined && seconds > 3600
      ? [fieldInvalid(window, seconds, "must be less than or equal to 3600")]
      : []),
    ...optionalOneOf(selectPolicy, ["Disabled", "Max", "Min"], path.child("selectPolicy")),
    ...(policies.length === 0 ? [fieldRequired(at, "must specify at least one Policy")] : []),
    ...policies.flatMap(({ type = "", value = 0, periodSeconds = 0 }, i) => [
      ...(type === "Pods" || type === "Percent"
        ? []
        : [fieldNotSupported(at.index(i).child("type"), type, ["Percent", "Pods"])]),
      ...positive(value, at.index(i).child("value")),
      ...positive(periodSeconds, at.index(i).child("periodSeconds")),
      ...(periodSeconds > 1800
        ? [
            fieldInvalid(
              at.index(i).child("periodSeconds"),
              periodSeconds,
              "must be less than or equal to 1800",
            ),
          ]
        : []),
    ]),
  ];
}

function positive(value: number, path: FieldPath): FieldError[] {
  return value > 0 ? [] : [fieldInvalid(path, value, "must be greater than zero")];
}
