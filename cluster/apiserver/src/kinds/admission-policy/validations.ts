import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import type { AuditAnnotation, Validation } from "@kedge/machinery/kinds/admissionregistration/v1";
import { compileAdmission, type Names } from "@kedge/validation";
import type { Decoded } from "../../registry/decoded.ts";
import { named, optionalOneOf } from "../validation/field-rules.ts";
import { expressionErrors } from "../validation/match-conditions.ts";

/** What is wrong with the validations of a policy. */
export function* validateValidations(
  validations: readonly Decoded<Validation>[],
  names: Names,
  path: FieldPath,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (const [i, validation] of validations.entries()) {
    const place = path.index(i);
    const { expression = "", messageExpression = "", message = "", reason } = validation;
    if (expression.trim() === "")
      errors.push(fieldRequired(place.child("expression"), "expression is not specified"));
    else {
      yield;
      const compiled = compileAdmission(expression, "bool", names);
      errors.push(...expressionErrors(compiled, place.child("expression")));
    }
    const messagePlace = place.child("messageExpression");
    if (messageExpression !== "" && messageExpression.trim() === "")
      errors.push(fieldInvalid(messagePlace, messageExpression, nonEmpty));
    else if (messageExpression !== "") {
      yield;
      const compiled = compileAdmission(messageExpression, "string", { ...names, authorizer: false });
      errors.push(...expressionErrors(compiled, messagePlace));
    }
    errors.push(...messageErrors(message, place.child("message")));
    errors.push(
      ...optionalOneOf(reason, ["Forbidden", "Invalid", "RequestEntityTooLarge"], place.child("reason")),
    );
  }
  return errors;
}

const nonEmpty = "must be non-empty if specified";

function messageErrors(message: string, path: FieldPath): FieldError[] {
  const trimmed = message.trim();
  if (message !== "" && trimmed === "") return [fieldInvalid(path, message, nonEmpty)];
  return /[\n\r]/u.test(trimmed) ? [fieldInvalid(path, message, "must not contain line breaks")] : [];
}

const mostAnnotations = 20;
const longestExpression = 5 * 1024;

/** What is wrong with what a policy adds to the audit log. */
export function* validateAnnotations(
  annotations: readonly Decoded<AuditAnnotation>[],
  { names, policy }: { readonly names: Names; readonly policy: string },
  path: FieldPath,
): Steps<FieldError[]> {
  const errors =
    annotations.length > mostAnnotations
      ? [fieldInvalid(path, annotations, `must not have more than ${mostAnnotations} auditAnnotations`)]
      : [];
  const keys = new Set<string>();
  for (const [i, { key = "", valueExpression = "" }] of annotations.entries()) {
    const place = path.index(i);
    errors.push(...keyErrors(key, policy, place.child("key")));
    const at = place.child("valueExpression");
    const source = valueExpression.trim();
    if (source === "") errors.push(fieldRequired(at, "valueExpression is not specified"));
    else if (Buffer.byteLength(source) > longestExpression)
      errors.push(fieldRequired(at, `must not exceed ${longestExpression} bytes in length`));
    else {
      yield;
      const compiled = compileAdmission(source, "string or null", names);
      errors.push(...expressionErrors(compiled, at, valueExpression));
    }
    if (keys.has(key)) errors.push(fieldDuplicate(place.child("key"), key));
    keys.add(key);
  }
  return errors;
}

/** Keys stand behind the name of the policy. */
function keyErrors(key: string, policy: string, path: FieldPath): FieldError[] {
  if (policy === "") return [fieldInvalid(path, key, "requires metadata.name be non-empty")];
  return named(`${policy}/${key}`, validateQualifiedName, path);
}
