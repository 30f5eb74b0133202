import { fieldPath, type FieldError } from "@kedge/machinery";
import { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { sentAs } from "../../registry/sent.ts";
import { validateSelectorAndTemplate } from "../deployment/validation.ts";
import { immutable, nonNegative } from "../validation/field-rules.ts";

/** What is wrong with a replica set by itself. */
export function validateReplicaSet(object: StoredApiObject): FieldError[] {
  const spec = sentAs(ReplicaSet, object).spec ?? {};
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
    sentAs(ReplicaSet, object).spec?.selector,
    sentAs(ReplicaSet, previous).spec?.selector,
    path,
  );
}
