import type { Findings } from "./findings.ts";

/**
 * A compiled part of a schema. `previous` is what stood in this place before an update, undefined when nothing did:
 * what did not change is not complained about.
 */
export type Check = (value: unknown, findings: Findings, previous: unknown) => void;

/** JSON's types as messages name them. A number without fraction is an integer, as the server decodes it. */
export function typeOf(
  value: unknown,
): "array" | "boolean" | "integer" | "null" | "number" | "object" | "string" {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "number":
      return isInt64(value) ? "integer" : "number";
    case "bigint":
      return "integer";
    default:
      if (value === null || value === undefined) return "null";
      return Array.isArray(value) ? "array" : "object";
  }
}

function isInt64(value: number): boolean {
  return Number.isInteger(value) && value < 2 ** 63 && value >= -(2 ** 63);
}
