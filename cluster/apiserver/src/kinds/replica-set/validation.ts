import { fieldPath, type FieldError } from "@kedge/machinery";
import { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { validateSelectorAndTemplate } from "../deployment/validation.ts";
import { immutable, nonNegative } from "../validation/field-rules.ts";

/** What is wrong with a replica set by itself. */
export function validateReplicaSet(object: StoredApiObject): FieldError[] {
  const spec = decodedAs(ReplicaSet, object).spec ?? {};
  const path = fieldPath("spec");
  return [
    ...nonNegative(spec.replicas, path.child("replicas")),
    ...nonNegative(spec.minReadySeconds, path.child("minReadySeconds")),
    ...validateSelectorAndTemplate(spec, "ReplicaSet", path),
  ];
}

/** What is wrong with changing a replica set so. */
export function validateReplicaSetUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const path = fieldPath("spec", "selector");
  return immutable(
    decodedAs(ReplicaSet, object).spec?.selector,
    decodedAs(ReplicaSet, previous).spec?.selector,
    path,
  );
}
