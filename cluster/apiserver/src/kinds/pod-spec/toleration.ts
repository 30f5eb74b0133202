import {
  fieldInvalid,
  fieldNotSupported,
  validateLabelValue,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { Toleration } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named, optionalOneOf } from "../validation/field-rules.ts";

/** What is wrong with the taints that a pod tolerates. */
export function validateTolerations(
  tolerations: readonly Decoded<Toleration>[],
  path: FieldPath,
): FieldError[] {
  return tolerations.flatMap((toleration, i) => tolerationErrors(toleration, path.index(i)));
}

function tolerationErrors(toleration: Decoded<Toleration>, path: FieldPath): FieldError[] {
  const { key = "", operator = "", effect = "", tolerationSeconds } = toleration;
  const operatorPath = path.child("operator");
  return [
    ...(key === "" ? [] : named(key, validateQualifiedName, path.child("key"))),
    ...(key === "" && operator !== "Exists"
      ? [
          fieldInvalid(
            operatorPath,
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : []),
    ...(tolerationSeconds !== undefined && effect !== "NoExecute"
      ? [
          fieldInvalid(
            path.child("effect"),
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
          ),
        ]
      : []),
    ...valueErrors(toleration, operatorPath),
    ...(effect === ""
      ? []
      : optionalOneOf(effect, ["NoSchedule", "PreferNoSchedule", "NoExecute"], path.child("effect"))),
  ];
}

function valueErrors({ operator = "", value = "" }: Decoded<Toleration>, path: FieldPath): FieldError[] {
  switch (operator) {
    case "":
    case "Equal": {
      const faults = validateLabelValue(value);
      return faults.length === 0 ? [] : [fieldInvalid(path, value, faults.join(";"))];
    }
    case "Exists":
      return value === ""
        ? []
        : [fieldInvalid(path, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [fieldNotSupported(path, operator, ["Equal", "Exists"])];
  }
}
