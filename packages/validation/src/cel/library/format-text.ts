import { goQuote } from "@kedge/machinery";
import { runtimeType } from "../values/runtime-type.ts";
import type { CelType } from "../values/types.ts";
import { durationText, timestampText } from "../values/time.ts";
import {
  Bytes,
  CelError,
  Duration,
  Timestamp,
  Uint,
  isError,
  isList,
  isMap,
  type Value,
} from "../values/values.ts";
import { itemsOf } from "./declare.ts";
import { doubleText, toText } from "./conversions.ts";

/** `"%s of %d".format([…])`. */
export function formatText(format: string, args: readonly Value[]): Value {
  const parts: string[] = [];
  let used = 0;
  let from = 0;
  for (const clause of clausesOf(format)) {
    const arg = args[used];
    if (arg === undefined) return new CelError(`index ${used} out of range`);
    used += 1;
    if ("wrong" in clause) return new CelError(clause.wrong);
    const text = clauses.get(clause.verb)?.(arg, clause.precision) ?? "";
    if (typeof text !== "string") return text;
    parts.push(format.slice(from, clause.start).replaceAll("%%", "%"), text);
    from = clause.end;
  }
  return [...parts, format.slice(from).replaceAll("%%", "%")].join("");
}

interface ParsedClause {
  readonly verb: string;
  readonly precision: number | undefined;
  readonly start: number;
  readonly end: number;
}

/** The clauses of a format, in order, up to one that is none. */
export function* clausesOf(
  format: string,
): Generator<ParsedClause | { readonly wrong: string }, void, undefined> {
  for (const match of format.matchAll(/%%|%(?:\.(?<precision>\d+))?(?<verb>.?)/gsu)) {
    if (match[0] === "%%") continue;
    const { precision, verb = "" } = match.groups ?? {};
    if (verb === "") {
      yield { wrong: "unexpected end of string" };
      return;
    }
    if (!clauses.has(verb)) {
      yield { wrong: `could not parse formatting clause: unrecognized formatting clause "${verb}"` };
      return;
    }
    const start = match.index;
    yield {
      verb,
      precision: precision === undefined ? undefined : Number(precision),
      start,
      end: start + match[0].length,
    };
  }
}

/** What is told of an argument that a clause cannot show. */
export function clauseWrong(verb: string, type: CelType): string {
  return `error during formatting: ${complaints.get(verb.toLowerCase()) ?? ""}, was given ${type.name}`;
}

const complaints: ReadonlyMap<string, string> = new Map([
  [
    "s",
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  ],
  ["d", "decimal clause can only be used on integers"],
  ["f", "fixed-point clause can only be used on doubles"],
  ["e", "scientific clause can only be used on doubles"],
  ["b", "only integers and bools can be formatted as binary"],
  ["x", "only integers, byte buffers, and strings can be formatted as hex"],
  ["o", "octal clause can only be used on integers"],
]);

type Clause = (value: Value, precision: number | undefined) => string | CelError;

function wrong(verb: string, value: Value): CelError {
  return new CelError(clauseWrong(verb, runtimeType(value)));
}

const clauses: ReadonlyMap<string, Clause> = new Map<string, Clause>([
  ["s", plain],
  ["d", decimal],
  ["f", (value, precision = 6) => fixed(value, precision)],
  ["e", (value, width = 0) => scientific(value, width)],
  [
    "b",
    (value) => (typeof value === "boolean" ? String(Number(value)) : (inBase(value, 2) ?? wrong("b", value))),
  ],
  ["x", hex],
  [
    "X",
    (value) => {
      const text = hex(value);
      return typeof text === "string" ? text.toUpperCase() : text;
    },
  ],
  ["o", (value) => inBase(value, 8) ?? wrong("o", value)],
]);

function plain(value: Value): string | CelError {
  if (value === null) return "null";
  if (isList(value)) return listText(itemsOf(value));
  if (isMap(value)) return mapText(value.keys().map((key) => [key, value.find(key) ?? null]));
  const text = toText(value);
  if (typeof text === "string") return text;
  return wrong("s", value);
}

function decimal(value: Value): string | CelError {
  return inBase(value, 10) ?? wrong("d", value);
}

function inBase(value: Value, base: number): string | undefined {
  if (typeof value === "bigint") return value.toString(base);
  return value instanceof Uint ? value.value.toString(base) : undefined;
}

function hex(value: Value): string | CelError {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Bytes) return Buffer.from(value.data).toString("hex");
  return inBase(value, 16) ?? wrong("x", value);
}

function doubleOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Infinity;
  return value === "-Infinity" ? -Infinity : undefined;
}

function fixed(value: Value, precision: number): string | CelError {
  const double = doubleOf(value);
  if (double === undefined) return wrong("f", value);
  if (!Number.isFinite(double)) return infiniteText(double);
  return double.toFixed(Math.min(precision, 100)).replace(/\B(?=(?:\d{3})+(?!\d))(?<!\.\d*)/gu, ",");
}

/** What looks like a precision is the width, as on the server. */
function scientific(value: Value, width: number): string | CelError {
  const double = doubleOf(value);
  if (double === undefined) return wrong("e", value);
  if (!Number.isFinite(double)) return infiniteText(double);
  const [mantissa = "", exponent = "0"] = double.toExponential(6).split("e");
  return `${mantissa}×10${superscript(Number(exponent))}`.padStart(Math.min(width, 1000));
}

function superscript(power: number): string {
  const digits = String(Math.abs(power)).padStart(2, "0");
  return `${power < 0 ? "⁻" : ""}${Array.from(digits, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹".charAt(Number(digit))).join("")}`;
}

function infiniteText(double: number): string {
  if (Number.isNaN(double)) return "NaN";
  return double > 0 ? "∞" : "-∞";
}

/** Inside of lists and maps values are written as CEL would have them. */
function literalText(value: Value): string | CelError {
  if (isError(value)) return value;
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? value.toFixed(6) : goQuote(doubleText(value));
  if (value instanceof Bytes) {
    const text = toText(value);
    return typeof text === "string"
      ? `b${goQuote(text)}`
      : new CelError("could not convert argument to string");
  }
  if (value instanceof Timestamp) return `timestamp(${goQuote(timestampText(value))})`;
  if (value instanceof Duration) return `duration(${goQuote(durationText(value))})`;
  const text = plain(value);
  return typeof text === "string"
    ? text
    : new CelError(`no formatting function for ${runtimeType(value).name}`);
}

function listText(items: readonly Value[]): string | CelError {
  const texts: string[] = [];
  for (const item of items) {
    const text = literalText(item);
    if (typeof text !== "string") return text;
    texts.push(text);
  }
  return `[${texts.join(", ")}]`;
}

function mapText(entries: readonly (readonly [Value, Value])[]): string | CelError {
  const texts: [string, string][] = [];
  for (const [key, value] of entries) {
    const [keyText, valueText] = [literalText(key), literalText(value)];
    if (typeof keyText !== "string") return keyText;
    if (typeof valueText !== "string") return valueText;
    texts.push([keyText, valueText]);
  }
  const sorted = texts.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}
