import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  validateLabelSelector,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { TopologySpreadConstraint } from "@kedge/machinery/kinds/core/v1";
import { labelSelectorOf } from "../../registry/label-selector.ts";
import type { Decoded } from "../../registry/decoded.ts";
import { optionalOneOf } from "../validation/field-rules.ts";
import { repeated } from "../repeated.ts";

/** What is wrong with how a pod's siblings are to be spread. */
export function validateTopologySpread(
  constraints: readonly Decoded<TopologySpreadConstraint>[],
  path: FieldPath,
): FieldError[] {
  // Of two that are the same, the first is told.
  const last = constraints.length - 1;
  const second = repeated(constraints.toReversed(), ({ topologyKey = "", whenUnsatisfiable = "" }) =>
    JSON.stringify([topologyKey, whenUnsatisfiable]),
  );
  return constraints.flatMap(
    ({ maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", labelSelector, minDomains }, i) => {
      const item = path.index(i);
      return [
        ...(maxSkew > 0 ? [] : [fieldInvalid(item.child("maxSkew"), maxSkew, "must be greater than zero")]),
        ...(topologyKey === "" ? [fieldRequired(item.child("topologyKey"), "can not be empty")] : []),
        ...(["DoNotSchedule", "ScheduleAnyway"].includes(whenUnsatisfiable)
          ? []
          : [
              fieldNotSupported(item.child("whenUnsatisfiable"), whenUnsatisfiable, [
                "DoNotSchedule",
                "ScheduleAnyway",
              ]),
            ]),
        ...domainErrors(minDomains, whenUnsatisfiable, item.child("minDomains")),
        ...(["nodeAffinityPolicy", "nodeTaintsPolicy"] as const).flatMap((field) =>
          optionalOneOf(constraints[i]?.[field], ["Honor", "Ignore"], item.child(field)),
        ),
        ...(second.has(last - i)
          ? [
              fieldDuplicate(
                item.child("{topologyKey, whenUnsatisfiable}"),
                `{${topologyKey}, ${whenUnsatisfiable}}`,
              ),
            ]
          : []),
        ...validateLabelSelector(labelSelectorOf(labelSelector), item.child("labelSelector")),
      ];
    },
  );
}

function domainErrors(minDomains: number | undefined, when: string, path: FieldPath): FieldError[] {
  if (minDomains === undefined) return [];
  return [
    ...(minDomains > 0 ? [] : [fieldInvalid(path, minDomains, "must be greater than zero")]),
    ...(when === "DoNotSchedule"
      ? []
      : [
          fieldInvalid(
            path,
            minDomains,
            `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${when}`,
          ),
        ]),
  ];
}
