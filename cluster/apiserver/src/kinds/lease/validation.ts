import { fieldInvalid, fieldPath, type FieldError } from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { nonNegative } from "../validation/field-rules.ts";

/** What is wrong with a lease by itself. */
export function validateLease(object: StoredApiObject): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions } = decodedAs(Lease, object).spec ?? {};
  const path = fieldPath("spec");
  return [
    ...(seconds !== undefined && seconds <= 0
      ? [fieldInvalid(path.child("leaseDurationSeconds"), seconds, "must be greater than 0")]
      : []),
    ...nonNegative(leaseTransitions, path.child("leaseTransitions")),
  ];
}
