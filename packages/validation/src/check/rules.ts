import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { JsonSchema } from "../json-schema.ts";
import { findField } from "../field-path.ts";

/** What was sent may lack anything. */
type Rule = Partial<NonNullable<JsonSchema["x-kubernetes-validations"]>[number]>;

/** What can be told of rules without compiling them. */
export function checkRules(schema: JsonSchema, path: FieldPath): FieldError[] {
  return (schema["x-kubernetes-validations"] ?? []).flatMap((rule, index) =>
    checkRule(rule, schema, path.child("x-kubernetes-validations").index(index)),
  );
}

function checkRule(rule: Rule, schema: JsonSchema, path: FieldPath): FieldError[] {
  const { messageExpression = "", reason, fieldPath = "" } = rule;
  const errors = checkMessage(rule, path);
  if (messageExpression !== "" && messageExpression.trim() === "") {
    const detail = "messageExpression must be non-empty if specified";
    errors.push(fieldRequired(path.child("messageExpression"), detail));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(fieldNotSupported(path.child("reason"), reason, reasons));
  }
  if (fieldPath === "") return errors;
  const place = path.child("fieldPath");
  if (fieldPath.trim() === "") errors.push(fieldInvalid(place, fieldPath, "must be non-empty if specified"));
  if (hasLineBreak(fieldPath)) errors.push(fieldInvalid(place, fieldPath, "must not contain line breaks"));
  if (findField(fieldPath, schema).error !== undefined) {
    errors.push(fieldInvalid(place, fieldPath, "must be a valid path"));
  }
  return errors;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function checkMessage({ rule = "", message = "" }: Rule, path: FieldPath): FieldError[] {
  const place = path.child("message");
  if (rule.trim() === "") return [fieldRequired(path.child("rule"), "rule is not specified")];
  if (message !== "" && message.trim() === "") {
    return [fieldInvalid(place, message, "must be non-empty if specified")];
  }
  if (hasLineBreak(message.trim())) return [fieldInvalid(place, message, "must not contain line breaks")];
  if (hasLineBreak(rule.trim()) && message.trim() === "") {
    return [fieldRequired(place, "message must be specified if rule contains line breaks")];
  }
  return [];
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/u.test(text);
}
