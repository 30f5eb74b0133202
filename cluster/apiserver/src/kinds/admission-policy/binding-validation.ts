import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import {
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBinding,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import { decodedAs } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { named } from "../validation/field-rules.ts";
import { onlyMutable, validateMatchResources, validateParamRef } from "./match-resources.ts";

/** What is wrong with the binding of a policy that refuses objects. */
export function validateValidatingBinding(object: StoredApiObject): FieldError[] {
  const { policyName, paramRef, matchResources, validationActions } =
    decodedAs(ValidatingAdmissionPolicyBinding, object).spec ?? {};
  return [
    ...policyNameErrors(policyName ?? ""),
    ...validateParamRef(paramRef, fieldPath("spec", "paramRef")),
    ...validateMatchResources(matchResources, fieldPath("spec", "matchResources")),
    ...actionErrors(validationActions ?? [], fieldPath("spec", "validationActions")),
  ];
}

/** What is wrong with the binding of a policy that changes objects. */
export function validateMutatingBinding(object: StoredApiObject): FieldError[] {
  const { policyName, paramRef, matchResources } =
    decodedAs(MutatingAdmissionPolicyBinding, object).spec ?? {};
  const path = fieldPath("spec", "matchResources");
  return [
    ...policyNameErrors(policyName ?? ""),
    ...validateParamRef(paramRef, fieldPath("spec", "paramRef")),
    ...validateMatchResources(matchResources, path),
    ...onlyMutable(matchResources, path),
  ];
}

function policyNameErrors(name: string): FieldError[] {
  const path = fieldPath("spec", "policyName");
  return name === "" ? [fieldRequired(path)] : named(name, validateDns1123Subdomain, path);
}

const actions = ["Audit", "Deny", "Warn"];

function actionErrors(sent: readonly string[], path: FieldPath): FieldError[] {
  return [
    ...sent.flatMap((action, i) => [
      ...(actions.includes(action) ? [] : [fieldNotSupported(path.index(i), action, actions)]),
      ...(sent.indexOf(action) < i ? [fieldDuplicate(path.index(i), action)] : []),
    ]),
    ...(sent.includes("Deny") && sent.includes("Warn")
      ? [
          fieldInvalid(
            path,
            sent,
            "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
          ),
        ]
      : []),
    ...(sent.length === 0 ? [fieldRequired(path, "at least one validation action is required")] : []),
  ];
}
