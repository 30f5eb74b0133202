import type { FieldPath } from "./field-path.ts";
import { goQuote } from "../go/go-quote.ts";

/** What is wrong with a field, as the `reason` of a status cause. */
export type FieldErrorType = keyof typeof titles;

/** One complaint about one field. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  /** The offending value; a complaint without this key prints none. A `Map` prints its keys in its own order. */
  readonly badValue?: unknown;
  readonly detail: string;
}

/** A value is missing. */
export function fieldRequired(path: FieldPath | string, detail = ""): FieldError {
  return { type: "FieldValueRequired", field: String(path), detail };
}

/** A value is malformed or out of bounds. */
export function fieldInvalid(path: FieldPath | string, badValue: unknown, detail: string): FieldError {
  return { type: "FieldValueInvalid", field: String(path), badValue, detail };
}

/** A value is of the wrong type. */
export function fieldTypeInvalid(path: FieldPath | string, badValue: unknown, detail: string): FieldError {
  return { type: "FieldValueTypeInvalid", field: String(path), badValue, detail };
}

/** A value is not among those of an enumeration. */
export function fieldNotSupported(
  path: FieldPath | string,
  badValue: unknown,
  supported: readonly string[],
): FieldError {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map(goQuote).join(", ")}`;
  return { type: "FieldValueNotSupported", field: String(path), badValue, detail };
}

/** A value is well-formed but not allowed here and now. */
export function fieldForbidden(path: FieldPath | string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field: String(path), detail };
}

/** A text has more bytes than it may have; the text itself is not repeated. */
export function fieldTooLong(path: FieldPath | string, maxBytes: number): FieldError {
  return { type: "FieldValueTooLong", field: String(path), detail: mayNotBeMoreThan(maxBytes, "byte") };
}

/** A text has more characters than it may have; the text itself is not repeated. */
export function fieldTooLongCharacters(path: FieldPath | string, maxCharacters: number): FieldError {
  return {
    type: "FieldValueTooLong",
    field: String(path),
    detail: mayNotBeMoreThan(maxCharacters, "character"),
  };
}

/** A text has fewer characters than it must have. */
export function fieldTooShort(path: FieldPath | string, minCharacters: number): FieldError {
  const detail = `must be at least ${plural(minCharacters, "character")}`;
  return { type: "FieldValueTooShort", field: String(path), detail };
}

/** A list has more items than it may have. */
export function fieldTooMany(path: FieldPath | string, actual: number, maxItems: number): FieldError {
  const detail = `must have at most ${plural(maxItems, "item")}`;
  return { type: "FieldValueTooMany", field: String(path), badValue: actual, detail };
}

/** A list has fewer items than it must have. */
export function fieldTooFew(path: FieldPath | string, actual: number, minItems: number): FieldError {
  const detail = `must have at least ${plural(minItems, "item")}`;
  return { type: "FieldValueTooFew", field: String(path), badValue: actual, detail };
}

/** A value that must be unique is there twice. */
export function fieldDuplicate(path: FieldPath | string, badValue: unknown): FieldError {
  return { type: "FieldValueDuplicate", field: String(path), badValue, detail: "" };
}

/** What a value refers to does not exist. */
export function fieldNotFound(path: FieldPath | string, badValue: unknown): FieldError {
  return { type: "FieldValueNotFound", field: String(path), badValue, detail: "" };
}

/** A field could not be checked, through no fault of the user. */
export function fieldInternalError(path: FieldPath | string, error: Error): FieldError {
  return { type: "InternalError", field: String(path), detail: error.message };
}

/** The complaint with its field: `spec.replicas: Invalid value: -1: must be greater than or equal to 0`. */
export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** The complaint without its field. */
export function fieldErrorBody(error: FieldError): string {
  const title = titles[error.type];
  const value = "badValue" in error ? `: ${printValue(error.badValue)}` : "";
  return `${title}${value}${error.detail === "" ? "" : `: ${error.detail}`}`;
}

/** All complaints as one text, in brackets when there are several; the same complaint is not repeated. */
export function fieldErrorsText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
}

const titles = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueTooShort: "Too short",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
} as const;

function mayNotBeMoreThan(count: number, unit: string): string {
  return `may not be more than ${plural(count, unit)}`;
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function printValue(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return printNumber(value);
  // As Go's encoder: keys of maps in order, and characters that HTML could trip over escaped.
  const json = JSON.stringify(value, sortedKeys) ?? "null";
  return json.replaceAll(/[<>&\u2028\u2029]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Go writes small numbers with an exponent earlier than JavaScript does, and the exponent with two digits. */
function printNumber(value: number): string {
  const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/u, "e$10$2");
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries<unknown>(value);
  if (typeof value !== "object" || value === null || Array.isArray(value) || JSON.isRawJSON(value))
    return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
