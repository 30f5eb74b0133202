import type * as z from "zod";

/** A rule in CEL that the API server checks; `self` is the value, `oldSelf` the one before. */
export interface Rule {
  readonly rule: string;
  readonly message?: string;
  /** An expression for the message, which may show values: `'is ' + string(self)`. */
  readonly messageExpression?: string;
  /** The field that is to blame, below the value: `.spec.size`. */
  readonly fieldPath?: string;
  /** `oldSelf` is an optional, so that the rule holds for new values, too. */
  readonly optionalOldSelf?: boolean;
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
