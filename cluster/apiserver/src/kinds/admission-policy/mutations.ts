import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  type FieldError,
  type FieldPath,
  type Steps,
} from "@kedge/machinery";
import type { Mutation } from "@kedge/machinery/kinds/admissionregistration/v1";
import { compileAdmission, type Names } from "@kedge/validation";
import type { Decoded } from "../../registry/decoded.ts";
import { expressionErrors } from "../validation/match-conditions.ts";

const patchTypes = ["ApplyConfiguration", "JSONPatch"];

/** What is wrong with the mutations of a policy. */
export function* validateMutations(
  mutations: readonly Decoded<Mutation>[],
  names: Names,
  path: FieldPath,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (const [i, mutation] of mutations.entries()) {
    const { patchType = "" } = mutation;
    const place = path.index(i);
    if (patchType === "") errors.push(fieldRequired(place.child("patchType")));
    else if (!patchTypes.includes(patchType))
      errors.push(fieldNotSupported(place.child("patchType"), patchType, patchTypes));
    else {
      yield;
      errors.push(...mutationErrors(mutation, names, place));
    }
  }
  return errors;
}

function mutationErrors(
  { patchType = "", jsonPatch, applyConfiguration }: Decoded<Mutation>,
  names: Names,
  path: FieldPath,
): FieldError[] {
  const isPatch = patchType === "JSONPatch";
  const [field, other] = isPatch ? ["jsonPatch", "applyConfiguration"] : ["applyConfiguration", "jsonPatch"];
  const [wanted, unwanted] = isPatch ? [jsonPatch, applyConfiguration] : [applyConfiguration, jsonPatch];
  const source = wanted?.expression?.trim() ?? "";
  const place = path.child(field ?? "");
  const compiled = (): FieldError[] =>
    expressionErrors(
      compileAdmission(source, isPatch ? "patch" : "object", names),
      place.child("expression"),
    );
  return [
    ...(wanted === undefined
      ? [fieldRequired(place, `must be specified when patchType is ${patchType}`)]
      : source === ""
        ? [fieldRequired(place.child("expression"))]
        : compiled()),
    ...(unwanted === undefined
      ? []
      : [
          fieldInvalid(
            path.child(other ?? ""),
            `{${other}}`,
            `must not be specified when patchType is ${patchType}`,
          ),
        ]),
  ];
}
