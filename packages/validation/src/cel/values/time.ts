import { CelError, Duration, Timestamp } from "./values.ts";

const second = 1_000_000_000n;
const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", second],
  ["m", 60n * second],
  ["h", 3_600n * second],
]);
const maxNanos = 2n ** 63n - 1n;
const minTimestamp = -62_135_596_800n * second;
const maxTimestamp = 253_402_300_799n * second + second - 1n;

/** A duration as Go writes one: `1h30m`, `-1.5s`, `0`. Undefined when it is none. */
export function parseDuration(text: string): Duration | undefined {
  const match = /^(?<sign>[+-]?)(?<parts>(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/u.exec(text);
  if (match?.groups === undefined) return undefined;
  let nanos = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of (match.groups["parts"] ?? "").matchAll(
    /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/gu,
  )) {
    const size = units.get(unit) ?? 0n;
    nanos += BigInt(whole === "" ? "0" : whole) * size;
    if (fraction !== "") nanos += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
  }
  const signed = match.groups["sign"] === "-" ? -nanos : nanos;
  return signed > maxNanos || signed < -maxNanos - 1n ? undefined : new Duration(signed);
}

/** Durations of schemas may also be spelt out: `3 days`. */
export function parseSchemaDuration(text: string): Duration | undefined {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let nanos = 0n;
  let found = false;
  for (const [, count = "", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/gu)) {
    const size = [...spelt].find(([names]) => names.includes(unit.toLowerCase()))?.[1];
    if (size === undefined) return undefined;
    nanos += BigInt(count) * size;
    found = true;
  }
  return found ? new Duration(nanos) : undefined;
}

const spelt: ReadonlyMap<readonly string[], bigint> = new Map([
  [["ns", "nano"], 1n],
  [["us", "µs", "micro"], 1_000n],
  [["ms", "milli"], 1_000_000n],
  [["s", "sec", "secs", "second", "seconds"], second],
  [["m", "min", "mins", "minute", "minutes"], 60n * second],
  [["h", "hr", "hrs", "hour", "hours"], 3_600n * second],
  [["d", "day", "days"], 86_400n * second],
  [["w", "wk", "wks", "week", "weeks"], 604_800n * second],
]);

/** `90.5s`. */
export function durationText({ nanos }: Duration): string {
  return `${Number(nanos) / 1e9}s`;
}

/** A point in time by RFC 3339. Undefined when the text is none. */
export function parseTimestamp(text: string): Timestamp | CelError | undefined {
  const match =
    /^(?<day>\d{4}-\d{2}-\d{2})T(?<time>\d{2}:\d{2}:\d{2})(?:[.,](?<fraction>\d+))?(?<zone>Z|[+-]\d{2}:\d{2})$/u.exec(
      text,
    );
  if (match?.groups === undefined) return undefined;
  const { day = "", time = "", fraction = "", zone = "" } = match.groups;
  const millis = Date.parse(`${day}T${time}${zone}`);
  if (Number.isNaN(millis) || !isDay(day) || time.startsWith("24")) return undefined;
  const nanos = BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, "0").slice(0, 9));
  return checkedTimestamp(nanos);
}

/** A day, at its first moment in UTC. */
export function parseDate(text: string): Timestamp | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text) || !isDay(text)) return undefined;
  return new Timestamp(BigInt(Date.parse(`${text}T00:00:00Z`)) * 1_000_000n);
}

/** JavaScript takes the 30th of February as the second of March. */
function isDay(text: string): boolean {
  const millis = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(millis)) return false;
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  const days = [
    31,
    year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28,
    31,
    30,
    31,
    30,
    31,
    31,
    30,
    31,
    30,
    31,
  ];
  return day <= (days[month - 1] ?? 0);
}

/** A timestamp in the years 1 to 9999, else the error. */
export function checkedTimestamp(nanos: bigint): Timestamp | CelError {
  return nanos < minTimestamp || nanos > maxTimestamp
    ? new CelError("timestamp overflow")
    : new Timestamp(nanos);
}

/** A duration that fits into 64 bits, else the error. */
export function checkedDuration(nanos: bigint): Duration | CelError {
  return nanos > maxNanos || nanos < -maxNanos - 1n ? new CelError("duration overflow") : new Duration(nanos);
}

/** Whole seconds since 1970, rounded down. */
export function unixSeconds({ nanos }: Timestamp): bigint {
  const rest = nanos % second;
  return (nanos - (rest < 0n ? rest + second : rest)) / second;
}

/** RFC 3339, with as many digits of the second as it needs. */
export function timestampText(timestamp: Timestamp): string {
  const seconds = unixSeconds(timestamp);
  const fraction = String(timestamp.nanos - seconds * second)
    .padStart(9, "0")
    .replace(/0+$/u, "");
  const [text = ""] = isoOf(Number(seconds) * 1000).split(".");
  return `${text}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** The parts of a point in time in a zone: a name, or an offset like `-05:30`. An error when there is no such zone. */
export function partsIn(timestamp: Timestamp, zone: string): TimeParts | CelError {
  const millis = Number(unixSeconds(timestamp)) * 1000;
  const offset = offsetOf(zone);
  if (offset !== undefined) return partsOf(isoOf(millis + offset), timestamp);
  try {
    const shown = formatterOf(zone).format(millis);
    return partsOf(shown.replace(" ", "T"), timestamp);
  } catch {
    return new CelError(`unknown time zone ${zone}`);
  }
}

/** To make one takes long. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const mostFormatters = 100;

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
    hourCycle: "h23",
  });
  if (formatters.size >= mostFormatters) formatters.clear();
  formatters.set(zone, made);
  return made;
}

export interface TimeParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly millis: number;
  readonly weekday: number;
  readonly dayOfYear: number;
}

function offsetOf(zone: string): number | undefined {
  if (zone === "UTC" || zone === "") return 0;
  const match = /^(?<sign>[+-]?)(?<hours>\d{1,2}):(?<minutes>\d{2})$/u.exec(zone);
  if (match?.groups === undefined) return undefined;
  const minutes = Number(match.groups["hours"]) * 60 + Number(match.groups["minutes"]);
  return minutes * 60_000 * (match.groups["sign"] === "-" ? -1 : 1);
}

function partsOf(text: string, { nanos }: Timestamp): TimeParts {
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = (text.match(/\d+/gu) ?? []).map(
    Number,
  );
  const midnight = Date.UTC(year, month - 1, day);
  const rest = Number(nanos % second);
  return {
    year,
    month,
    day,
    hours,
    minutes,
    seconds,
    millis: Math.floor((rest < 0 ? rest + 1e9 : rest) / 1e6),
    weekday: Math.floor(midnight / 86_400_000 + 4) % 7,
    dayOfYear: Math.round((midnight - Date.UTC(year, 0, 1)) / 86_400_000),
  };
}

/** `2024-02-29T12:00:00.000Z` of milliseconds since 1970: days of the civil calendar, without a clock. */
function isoOf(millis: number): string {
  const days = Math.floor(millis / 86_400_000);
  const rest = millis - days * 86_400_000;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const time = `${two(rest / 3_600_000)}:${two((rest / 60_000) % 60)}:${two((rest / 1_000) % 60)}`;
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${time}.000Z`;
}

function two(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}
