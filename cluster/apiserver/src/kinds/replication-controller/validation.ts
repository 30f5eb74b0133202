import { fieldPath, fieldRequired, selectorFromLabels, type FieldError } from "@kedge/machinery";
import { ReplicationController } from "@kedge/machinery/kinds/core/v1";
import { decodedAs } from "../../registry/decoded.ts";
import { labelsOf } from "../../registry/label-selector.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { validateAlwaysRunning, validateSelected, validateTemplate } from "../pod-spec/pod-template.ts";
import { nonNegative } from "../validation/field-rules.ts";

/** What is wrong with a replication controller by itself. */
export function validateReplicationController(object: StoredApiObject): FieldError[] {
  const spec = decodedAs(ReplicationController, object).spec ?? {};
  const path = fieldPath("spec");
  const selector = labelsOf(spec.selector);
  const at = path.child("template");
  return [
    ...nonNegative(spec.minReadySeconds, path.child("minReadySeconds")),
    ...(Object.keys(selector).length === 0 ? [fieldRequired(path.child("selector"))] : []),
    ...(spec.replicas === undefined ? [fieldRequired(path.child("replicas"))] : []),
    ...nonNegative(spec.replicas, path.child("replicas")),
    ...(spec.template === undefined
      ? [fieldRequired(at)]
      : [
          ...validateSelected(spec.template, selectorFromLabels(selector), at),
          ...validateTemplate(spec.template, at),
          ...validateAlwaysRunning(spec.template, "ReplicationController", at),
        ]),
  ];
}
