import type { FieldError, FieldErrorType, Steps } from "@kedge/machinery";
import type { CompiledSchema } from "@kedge/validation";
import type { StoredApiObject } from "../../registry/types.ts";

/** How to tell a writer of what is tolerated; undefined when nobody listens. */
export interface Warned {
  readonly warn: ((text: string) => void) | undefined;
}

/** What rules in CEL are asked about. */
export interface RuledObject extends Warned {
  readonly object: StoredApiObject;
  readonly previous: StoredApiObject | undefined;
  readonly compiled: CompiledSchema;
}

/** Adds what the rules of a schema find. They are not asked about an object that is not of the form that they rely on. */
export function* withRules(
  errors: readonly FieldError[],
  { object, previous, compiled, warn }: RuledObject,
): Steps<readonly FieldError[]> {
  const steps = compiled.validateRules(object, previous);
  if (steps === undefined) return errors;
  if (errors.some(({ type }) => blocking.has(type))) return [...errors, notAsked];
  const found = yield* steps;
  for (const text of found.warnings) warn?.(text);
  return [...errors, ...found.errors];
}

const blocking: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
] as const);

const notAsked: FieldError = {
  type: "FieldValueInvalid",
  field: "<nil>",
  badValue: null,
  detail:
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};
