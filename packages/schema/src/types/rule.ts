import type * as z from "zod";

/** A rule in CEL that the API server checks; `self` is the value, `oldSelf` the one before. */
export interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate";
}

/** The schema with all its rules. Only the API server checks them: `parseObject` knows nothing of them. */
export function rule<T extends z.ZodType>(schema: T, ...rules: readonly Rule[]): T {
  return schema.meta({ "x-kubernetes-validations": rules });
}
