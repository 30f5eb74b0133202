import {
  fieldDuplicate,
  fieldInternalError,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import type { MatchCondition } from "@kedge/machinery/kinds/admissionregistration/v1";
import { compileAdmission, type AdmissionExpression } from "@kedge/validation";
import type { Decoded } from "../../registry/decoded.ts";
import { named } from "./field-rules.ts";

const most = 64;

/** What is wrong with match conditions, an expression a step. */
export function* validateMatchConditions(
  conditions: readonly Decoded<MatchCondition>[] | undefined,
  path: FieldPath,
  { params }: { readonly params: boolean },
): Steps<FieldError[]> {
  const all = conditions ?? [];
  const errors = all.length > most ? [fieldTooMany(path, all.length, most)] : [];
  const names = new Set<string>();
  for (const [i, { name = "", expression = "" }] of all.entries()) {
    const place = path.index(i);
    const source = expression.trim();
    if (source === "") errors.push(fieldRequired(place.child("expression")));
    else {
      yield;
      const compiled = compileAdmission(source, "bool", { params, authorizer: true });
      errors.push(...expressionErrors(compiled, place.child("expression")));
    }
    if (name === "") errors.push(fieldRequired(place.child("name")));
    else errors.push(...named(name, validateQualifiedName, place.child("name")));
    if (name !== "" && names.has(name)) errors.push(fieldDuplicate(place.child("name"), name));
    names.add(name);
  }
  return errors;
}

/** What is wrong with an expression, where it stands; `shown` when it is not told as it was compiled. */
export function expressionErrors(
  { source, wrong, internal = false }: AdmissionExpression,
  path: FieldPath,
  shown: string = source,
): FieldError[] {
  if (wrong === undefined) return [];
  return [internal ? fieldInternalError(path, new Error(wrong)) : fieldInvalid(path, shown, wrong)];
}
