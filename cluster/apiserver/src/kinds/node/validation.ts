import {
  deepEqual,
  fieldDuplicate,
  fieldForbidden,
  fieldInternalError,
  fieldInvalid,
  fieldPath,
  parseQuantity,
  quantitySign,
  validateLabelValue,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { Node } from "@kedge/machinery/kinds/core/v1";
import type { Taint } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { named, oneOf } from "../validation/field-rules.ts";
import { validateCidr } from "../validation/cidr.ts";
import { repeated } from "../repeated.ts";

/** What is wrong with a node by itself. Kubernetes finds taints in its metadata. */
export function validateNode(object: StoredApiObject): FieldError[] {
  const { spec, status } = decodedAs(Node, object);
  return [
    ...taintErrors(spec?.taints ?? [], fieldPath("metadata", "taints")),
    ...(["capacity", "allocatable"] as const).flatMap((list) =>
      Object.entries(status?.[list] ?? {}).flatMap(([name, amount = "0"]) =>
        quantitySign(parseQuantity(amount)) < 0
          ? [
              fieldInvalid(
                fieldPath("status", list).child(name),
                amount,
                "must be greater than or equal to 0",
              ),
            ]
          : [],
      ),
    ),
    ...rangeErrors(spec?.podCIDRs ?? [], fieldPath("spec", "podCIDRs")),
  ];
}

function rangeErrors(ranges: readonly string[], path: FieldPath): FieldError[] {
  const faults = ranges.map((range, i) => validateCidr(range, path.index(i)));
  if (ranges.length < 2) return faults.flat();
  const wrong = faults.findIndex((fault) => fault.length > 0);
  const isPair = wrong === -1 && new Set(ranges.map((range) => range.includes(":"))).size === 2;
  const why = `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${ranges[wrong] ?? ""})`;
  return [
    ...faults.flat(),
    ...(wrong === -1 ? [] : [fieldInternalError(path, new Error(why))]),
    ...(isPair && ranges.length === 2
      ? []
      : [fieldInvalid(path, ranges, "may specify no more than one CIDR for each IP family")]),
  ];
}

/** What is wrong with changing a node so: who has given it out relies on its range and its provider. */
export function validateNodeUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const now = decodedAs(Node, object).spec ?? {};
  const then = decodedAs(Node, previous).spec ?? {};
  return [
    ...((then.podCIDRs ?? []).length > 0 && !deepEqual(now.podCIDRs ?? [], then.podCIDRs)
      ? [fieldForbidden(fieldPath("spec", "podCIDRs"), onlyOnce("podCIDR"))]
      : []),
    ...((then.providerID ?? "") !== "" && now.providerID !== then.providerID
      ? [fieldForbidden(fieldPath("spec", "providerID"), onlyOnce("providerID"))]
      : []),
  ];
}

function onlyOnce(field: string): string {
  return `node updates may not change ${field} except from "" to valid`;
}

function taintErrors(taints: readonly Decoded<Taint>[], path: FieldPath): FieldError[] {
  const second = repeated(taints, ({ key, effect }) =>
    key === undefined || effect === undefined ? undefined : JSON.stringify([key, effect]),
  );
  return taints.flatMap(({ key = "", value = "", effect = "" }, i) => {
    const item = path.index(i);
    const faults = validateLabelValue(value);
    const shown = new Map<string, unknown>([
      ["Key", key],
      ["Value", value],
      ["Effect", effect],
      ["TimeAdded", null],
    ]);
    return [
      ...named(key, validateQualifiedName, item.child("key")),
      ...(faults.length === 0 ? [] : [fieldInvalid(item.child("value"), value, faults.join(";"))]),
      ...oneOf(effect, ["NoSchedule", "PreferNoSchedule", "NoExecute"], item.child("effect")),
      ...(second.has(i)
        ? [{ ...fieldDuplicate(item, shown), detail: "taints must be unique by key and effect pair" }]
        : []),
    ];
  });
}
