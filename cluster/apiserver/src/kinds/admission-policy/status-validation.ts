import { fieldPath, fieldRequired, type FieldError } from "@kedge/machinery";
import { ValidatingAdmissionPolicy } from "@kedge/machinery/kinds/admissionregistration/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { validateConditions } from "../validation/conditions.ts";

/** What is wrong with what a controller found out about the types in a policy's expressions. */
export function validatePolicyStatus(object: StoredApiObject): FieldError[] {
  const { typeChecking, conditions } = decodedAs(ValidatingAdmissionPolicy, object).status ?? {};
  const path = fieldPath("status", "typeChecking").child("expressionWarnings");
  return [
    ...(typeChecking?.expressionWarnings ?? []).flatMap(({ warning = "", fieldRef = "" }, i) => [
      ...(warning === "" ? [fieldRequired(path.index(i).child("warning"))] : []),
      ...(fieldRef.trim() === "" ? [fieldRequired(path.index(i).child("fieldRef"))] : []),
    ]),
    ...validateConditions(conditions, fieldPath("status", "conditions")),
  ];
}
