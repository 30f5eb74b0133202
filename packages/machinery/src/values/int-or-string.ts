import { goQuote } from "../go/go-quote.ts";
import { parseInt64 } from "./int64.ts";

/** A number, or a text that is a percentage (`25%`) or a name (a port's). */
export type IntOrString = number | string;

/** Which way `resolveIntOrPercent` rounds a fraction. */
export type Rounding = "up" | "down";

/**
 * The number that a value stands for: itself, or its percentage of `total`. Throws with Kubernetes' texts when the value
 * is missing or is a text that is no percentage.
 */
export function resolveIntOrPercent(
  value: IntOrString | undefined,
  total: number,
  rounding: Rounding,
): number {
  if (value === undefined) throw new TypeError("nil value for IntOrString");
  if (typeof value === "number") return value;
  const scaled = (readPercent(value) * total) / 100;
  // Adding zero turns -0 into 0.
  return (rounding === "up" ? Math.ceil(scaled) : Math.floor(scaled)) + 0;
}

/** Reads a command line's or a form's text: a number when it is a 32-bit integer, else the text itself. */
export function parseIntOrString(text: string): IntOrString {
  const value = parseInt64(text);
  return typeof value === "bigint" && BigInt.asIntN(32, value) === value ? Number(value) : text;
}

/** What is wrong with a percentage in a field that takes nothing else. Empty when nothing is. */
export function validatePercent(value: string): string[] {
  if (/^[0-9]+%$/u.test(value)) return [];
  return [
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', " +
      "regex used for validation is '[0-9]+%')",
  ];
}

function readPercent(text: string): number {
  if (!text.endsWith("%")) {
    throw new TypeError("invalid value for IntOrString: invalid type: string is not a percentage");
  }
  const digits = text.slice(0, -1);
  const percent = parseInt64(digits);
  if (typeof percent === "bigint") return Number(percent);
  throw new TypeError(
    `invalid value for IntOrString: invalid value ${goQuote(text)}: strconv.Atoi: parsing ${goQuote(digits)}: ${percent}`,
  );
}
