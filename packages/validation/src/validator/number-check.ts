import { fieldInvalid, goNumber } from "@kedge/machinery";
import type { JsonSchema } from "../json-schema.ts";
import { typeOf } from "./check.ts";
import type { Findings } from "./findings.ts";

/** Range of type and format, multipleOf, minimum and maximum of a number, in the order of the server. */
export function compileNumberCheck(
  schema: JsonSchema,
  types: readonly string[],
  format: string,
): ((value: number | bigint, findings: Findings) => void) | undefined {
  const type = types.length === 1 ? (types[0] ?? "") : "";
  const range = type === "integer" || type === "number" ? rangeOf(type, format) : undefined;
  const { multipleOf, minimum, maximum } = schema;
  const bounds = [
    multipleOf === undefined ? undefined : multipleOfRule(multipleOf),
    minimum === undefined ? undefined : minimumRule(minimum, schema.exclusiveMinimum === true),
    maximum === undefined ? undefined : maximumRule(maximum, schema.exclusiveMaximum === true),
  ].filter((bound) => bound !== undefined);
  if (range === undefined && bounds.length === 0) return undefined;

  return (value, findings) => {
    if (range?.holds(value) === false) findings.addToRoot(range.complaint("Checked", findings.path));
    const integer = typeOf(value) === "integer";
    for (const bound of bounds) {
      // A bound that the type cannot hold is told of, and compared as a general number.
      const fits = range?.holds(bound.limit) !== false;
      if (!fits) findings.addToRoot(range.complaint(bound.title, findings.path));
      // The server compares integers with the integer part of the bound.
      const limit = fits && integer ? Math.trunc(bound.limit) : bound.limit;
      const complaint = bound.complaint(value, limit);
      if (complaint === undefined) continue;
      findings.add(fieldInvalid(findings.field(), complaint.value, complaint.text(findings.path)));
    }
  };
}

interface Range {
  holds(value: number | bigint): boolean;
  complaint(what: string, path: string): string;
}

interface Bound {
  readonly title: string;
  readonly limit: number;
  complaint(value: number | bigint, limit: number): Complaint | undefined;
}

interface Complaint {
  readonly value: number | bigint;
  readonly text: (path: string) => string;
}

function rangeOf(type: "integer" | "number", format: string): Range | undefined {
  const known = type === "integer" ? ["int32", "int64"] : ["float", "double"];
  const used = known.includes(format) ? format : "";
  const holds = ranges[`${type}/${used}`];
  if (holds === undefined) return undefined;
  return {
    holds,
    complaint: (what, path) =>
      used === ""
        ? `${what} value must be of type ${type} (default format) in ${path}`
        : `${what} value must be of type ${type} with format ${used} in ${path}`,
  };
}

const ranges: Readonly<Record<string, (value: number | bigint) => boolean>> = {
  "integer/": isInt64,
  "integer/int64": isInt64,
  "integer/int32": (value) => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31,
  "number/float": (value) => Number.isFinite(Math.fround(Number(value))),
};

/** A bigint is what no number holds exactly. */
function isInt64(value: number | bigint): boolean {
  return typeof value === "bigint" || (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63);
}

function multipleOfRule(factor: number): Bound {
  return {
    title: "MultipleOf",
    limit: factor,
    complaint: (value, limit) => {
      if (limit <= 0) {
        return {
          value: limit,
          text: (path) => `factor MultipleOf declared for ${path} must be positive: ${goNumber(limit)}`,
        };
      }
      if (isMultiple(value, limit)) return undefined;
      return { value, text: (path) => `${path} in body should be a multiple of ${goNumber(limit)}` };
    },
  };
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (Number.isInteger(factor)) {
    if (typeof value === "bigint") return value % BigInt(factor) === 0n;
    if (Number.isInteger(value)) return value % factor === 0;
  }
  return isWhole(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor);
}

/** As the server tells whole floating point numbers from others: with a little tolerance. */
function isWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  return whole !== 0 && Math.abs(value - whole) / Math.abs(value + whole) < epsilon;
}

const epsilon = 1e-9;

function minimumRule(minimum: number, exclusive: boolean): Bound {
  return {
    title: "Minimum boundary",
    limit: minimum,
    complaint: (value, limit) => {
      if (exclusive ? value > limit : value >= limit) return undefined;
      const relation = exclusive ? "greater than" : "greater than or equal to";
      return { value, text: (path) => `${path} in body should be ${relation} ${goNumber(limit)}` };
    },
  };
}

function maximumRule(maximum: number, exclusive: boolean): Bound {
  return {
    title: "Maximum boundary",
    limit: maximum,
    complaint: (value, limit) => {
      if (exclusive ? value < limit : value <= limit) return undefined;
      const relation = exclusive ? "less than" : "less than or equal to";
      return { value, text: (path) => `${path} in body should be ${relation} ${goNumber(limit)}` };
    },
  };
}
