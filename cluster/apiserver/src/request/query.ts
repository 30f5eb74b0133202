import {
  badRequest,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  invalid,
  type FieldError,
} from "@kedge/machinery";

/** An integer parameter, undefined when it is not there. Throws a 400 in Go's words. */
export function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/u.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (BigInt(text) > largest || BigInt(text) < -largest - 1n)
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(text);
}

/** The largest int64. */
const largest = (1n << 63n) - 1n;

/** What is done about fields that are unknown or there twice. */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** Options of a write, as the query gives them. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

/**
 * Reads the options that creates, updates and patches share. `kind` is CreateOptions and so on, for errors. An apply must
 * say who applies.
 */
export function writeOptions(query: URLSearchParams, kind: string, isApply = false): WriteOptions {
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const errors = [
    ...(isApply && fieldManager === "" ? [fieldRequired("fieldManager", "is required for apply patch")] : []),
    ...fieldManagerErrors(fieldManager),
    ...dryRunErrors(dryRun),
    ...(isFieldValidation(fieldValidation) || fieldValidation === ""
      ? []
      : [fieldNotSupported("fieldValidation", fieldValidation, ["", "Ignore", "Strict", "Warn"])]),
  ];
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: isFieldValidation(fieldValidation) ? fieldValidation : "Warn",
  };
}

/** What is wrong with the values of dryRun. */
export function dryRunErrors(values: readonly string[]): readonly FieldError[] {
  const wrong = values.filter((value) => value !== "All");
  return wrong.length === 0 ? [] : [fieldNotSupported("dryRun", values, ["All"])];
}

function fieldManagerErrors(name: string): readonly FieldError[] {
  const path = "fieldManager";
  if (name.length > 128) return [fieldTooLong(path, 128)];
  if (/^[\x20-\x7e]*$/u.test(name)) return [];
  return Array.from(name).flatMap((character, at) => {
    if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) return [];
    const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return [fieldInvalid(path, name, `invalid character U+${point} (at position ${at})`)];
  });
}

function isFieldValidation(text: string): text is FieldValidation {
  return text === "Strict" || text === "Warn" || text === "Ignore";
}

/** The field manager of a write that names none: the client's name before the slash. */
export function managerOf(fieldManager: string, userAgent: string): string {
  return fieldManager === "" ? (userAgent.split("/")[0] ?? "") : fieldManager;
}
