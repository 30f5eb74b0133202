/**
 * Reads a Go duration (`1h30m`, `300ms`, `-1.5h`) into nanoseconds, as `metav1.Duration` does. Units are `ns`, `us` (or
 * `µs`), `ms`, `s`, `m` and `h`. Throws with Go's texts.
 */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith("-");
  const body = negative || text.startsWith("+") ? text.slice(1) : text;
  if (body === "0") return 0n;
  if (body === "") throw fault("invalid duration", text);
  let total = 0n;
  for (const [term, whole = "", fraction = "", unit = ""] of body.matchAll(terms)) {
    if (term !== "") total += nanosecondsOf({ whole, fraction, unit }, text);
    if (total > 1n << 63n) throw fault("invalid duration", text);
  }
  if (total === 1n << 63n && !negative) throw fault("invalid duration", text);
  return negative ? -total : total;
}

/** Reads a Go duration into milliseconds, with a fraction where it has one. */
export function parseDurationMs(text: string): number {
  return Number(parseDuration(text)) / 1e6;
}

/** `ms` milliseconds in nanoseconds: what `durationToString` takes. */
export function durationFromMs(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6));
}

/** Prints nanoseconds as Go does: `1h30m0s`, `2m0s`, `1.5s`, `300ms`, `0s`. */
export function durationToString(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${durationToString(-nanoseconds)}`;
  if (nanoseconds === 0n) return "0s";
  if (nanoseconds < microsecond) return `${nanoseconds}ns`;
  if (nanoseconds < millisecond) return `${decimal(nanoseconds, 3)}µs`;
  if (nanoseconds < second) return `${decimal(nanoseconds, 6)}ms`;
  const seconds = `${decimal(nanoseconds % minute, 9)}s`;
  if (nanoseconds < minute) return seconds;
  const minutes = `${(nanoseconds % hour) / minute}m${seconds}`;
  return nanoseconds < hour ? minutes : `${nanoseconds / hour}h${minutes}`;
}

const microsecond = 1_000n;
const millisecond = 1_000_000n;
const second = 1_000_000_000n;
const minute = 60n * second;
const hour = 60n * minute;

const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", microsecond],
  // The micro sign, and the Greek letter that looks like it.
  ["\u00b5s", microsecond],
  ["\u03bcs", microsecond],
  ["ms", millisecond],
  ["s", second],
  ["m", minute],
  ["h", hour],
]);

const terms = /([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/gu;

interface Term {
  readonly whole: string;
  readonly fraction: string;
  readonly unit: string;
}

function nanosecondsOf({ whole, fraction, unit }: Term, text: string): bigint {
  const significant = whole.replace(/^0+/u, "");
  if (whole + fraction === "" || significant.length > 19) throw fault("invalid duration", text);
  if (BigInt(significant) > 1n << 63n) throw fault("invalid duration", text);
  if (unit === "") throw fault("missing unit in duration", text);
  const length = units.get(unit);
  if (length === undefined) throw fault(`unknown unit ${quote(unit)} in duration`, text);
  return BigInt(significant) * length + fractionOf(fraction, length);
}

/** Go computes fractions of a unit in floating point, and drops digits once they exceed 64 bits. */
function fractionOf(digits: string, length: bigint): bigint {
  const significant = digits.replace(/^0+/u, "");
  const kept =
    BigInt(significant.slice(0, 19)) <= 1n << 63n ? significant.slice(0, 19) : significant.slice(0, 18);
  const scale = 10 ** (digits.length - significant.length + kept.length);
  return BigInt(Math.trunc(Number(kept) * (Number(length) / scale)));
}

function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/u, "");
  return fraction === "" ? digits.slice(0, -places) : `${digits.slice(0, -places)}.${fraction}`;
}

function fault(problem: string, text: string): TypeError {
  return new TypeError(`time: ${problem} ${quote(text)}`);
}

/** The time package quotes in a way of its own: what is not printable ASCII becomes its UTF-8 bytes in hex. */
function quote(text: string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll(/["\\]|[^ -\x7f]/gu, (c) =>
      c === '"' || c === "\\" ? `\\${c}` : encodeURIComponent(c).toLowerCase().replaceAll("%", "\\x"),
    );
  return `"${escaped}"`;
}
