import {
  fieldInvalid,
  validatePercent,
  type FieldError,
  type FieldPath,
  type IntOrString,
} from "@kedge/machinery";
import { nonNegative } from "./field-rules.ts";

/** A number that is not negative, or a percentage. */
export function positiveIntOrPercent(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  if (typeof value !== "string") return nonNegative(value, path);
  return validatePercent(value).map((fault) => fieldInvalid(path, value, fault));
}

/** A percentage of at most a hundred. */
export function atMostAll(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  if (typeof value !== "string" || !value.endsWith("%") || Number(value.slice(0, -1)) <= 100) return [];
  return [fieldInvalid(path, value, "must not be greater than 100%")];
}

/** Whether it stands for nothing at all. So does a text that is no percentage. */
export function isZero(value: IntOrString | undefined): boolean {
  if (typeof value !== "string") return value === undefined || value === 0;
  return !/^\d+%$/u.test(value) || Number.parseInt(value, 10) === 0;
}
