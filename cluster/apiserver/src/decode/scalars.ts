import { parseTime } from "@kedge/machinery";
import type { TableShape } from "@kedge/machinery/schema-table";
import { DecodeError } from "./decode-error.ts";
import { typeMismatch, type GoPlace } from "./go-place.ts";
import { writtenText } from "./written-number.ts";

/** A number of a Go type; integers must be whole and fit. */
export function checkNumber(value: unknown, shape: TableShape, place: GoPlace): void {
  if (typeof value === "bigint" && shape.is !== "int32") return;
  if (typeof value === "symbol" && shape.is === "double") return;
  if (typeof value === "symbol") throw typeMismatch(value, shape, place, ` ${writtenText(value)}`);
  if (typeof value !== "number" && typeof value !== "bigint") throw typeMismatch(value, shape, place);
  if (shape.is !== "double" && !fits(value, shape.is === "int32" ? 32 : 64)) {
    throw typeMismatch(value, shape, place, ` ${Number.isInteger(value) ? BigInt(value) : value}`);
  }
}

/** Of 64 bits the smallest is a bigint: a number that is as small has lost digits. */
function fits(value: number | bigint, bits: 32 | 64): boolean {
  const limit = 2 ** (bits - 1);
  return Number.isInteger(value) && value < limit && (bits === 32 ? value >= -limit : value > -limit);
}

/** Standard base64 with padding, as Go decodes it: line breaks are skipped. */
export function checkBase64(text: string): void {
  const clean = text.replaceAll(/[\r\n]/gu, "");
  const wrong = /[^A-Za-z0-9+/=]/u.exec(clean);
  const padding = paddingOf(clean);
  const misplaced = clean.slice(0, clean.length - padding).indexOf("=");
  const at = wrong?.index ?? (misplaced >= 0 ? misplaced : undefined);
  if (at !== undefined) throw new DecodeError(`illegal base64 data at input byte ${at}`);
  if (clean.length % 4 === 0 && padding <= 2) return;
  const data = clean.length - padding;
  throw new DecodeError(`illegal base64 data at input byte ${padding > 0 ? data : Math.floor(data / 4) * 4}`);
}

/** How many equals signs a text ends with. */
function paddingOf(text: string): number {
  let start = text.length;
  while (text[start - 1] === "=") start--;
  return text.length - start;
}

/** RFC 3339 with exactly six digits after the second. */
export function checkMicroTime(text: string): void {
  checkTime(text, "2006-01-02T15:04:05.000000Z07:00");
  const [, rest = ""] = /^.{19}(.*)$/u.exec(text) ?? [];
  if (/^\.\d{6}(?!\d)/u.test(rest)) return;
  throw new DecodeError(
    `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05.000000Z07:00": cannot parse ${JSON.stringify(rest)} as ".000000"`,
  );
}

/** RFC 3339. */
export function checkTime(text: string, layout = "2006-01-02T15:04:05Z07:00"): void {
  try {
    parseTime(text);
  } catch {
    throw new DecodeError(
      `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(text)} as "2006"`,
    );
  }
}
