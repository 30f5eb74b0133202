import {
  deepEqual,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  validateLabelValue,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";

/** A number that may not be less than zero. */
export function nonNegative(value: number | undefined, path: FieldPath): FieldError[] {
  if (value === undefined || value >= 0) return [];
  return [fieldInvalid(path, value, "must be greater than or equal to 0")];
}

/** A value that has to be there, and one of these. */
export function oneOf(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (value === undefined || value === "") return [fieldRequired(path)];
  return supported.includes(value) ? [] : [fieldNotSupported(path, value, supported)];
}

/** A value that may be left out, and else has to be one of these. */
export function optionalOneOf(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [fieldNotSupported(path, value, supported)];
}

/** A text that has to be there. */
export function required(value: string | undefined, path: FieldPath): FieldError[] {
  return value === undefined || value === "" ? [fieldRequired(path)] : [];
}

/** A text that a rule of names says something about. */
export function named<T extends string | number>(
  value: T,
  rule: (value: T) => readonly string[],
  path: FieldPath,
): FieldError[] {
  return rule(value).map((fault) => fieldInvalid(path, value, fault));
}

/** Labels: the keys are qualified names, the values are label values. */
export function validLabels(
  labels: Readonly<Record<string, string | undefined>> | undefined,
  path: FieldPath,
): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value = ""]) => [
    ...named(key, validateQualifiedName, path),
    ...named(value, validateLabelValue, path),
  ]);
}

/** A field that is as it was. */
export function immutable(value: unknown, previous: unknown, path: FieldPath): FieldError[] {
  if (deepEqual(value, previous)) return [];
  return [fieldInvalid(path, value ?? null, "field is immutable")];
}
