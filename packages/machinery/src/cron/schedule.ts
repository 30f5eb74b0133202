import { parseDurationMs } from "../values/duration.ts";
import { goQuote } from "../go/go-quote.ts";
import { parseField, starred, type FieldBounds } from "./field.ts";
import { ScheduleError } from "./schedule-error.ts";
import { firstTimeAt, timeZone, utc, type TimeZone } from "./time-zone.ts";

/** When something is to happen, again and again. */
export interface Schedule {
  /** The next time after this one, in milliseconds; undefined when there is none within five years. */
  next(after: number): number | undefined;
}

/**
 * Reads a schedule of a CronJob: five fields (minute, hour, day of month, month, day of week) with names, ranges and
 * steps, or a word such as `@hourly` or `@every 90m`. Before it may stand `TZ=Europe/Berlin`. Throws `ScheduleError`.
 *
 * A time that clocks skip does not happen on that day, and a time that they show twice happens twice.
 */
export function parseSchedule(text: string, zone: TimeZone = utc): Schedule {
  if (text === "") throw new ScheduleError("empty spec string");
  if (!/^(?:CRON_)?TZ=/u.test(text)) return parseIn(text, zone);
  const space = text.indexOf(" ");
  const begin = text.indexOf("=") + 1;
  if (space === -1) {
    throw new ScheduleError("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  }
  const name = text.slice(begin, space);
  const named = timeZone(name);
  if (named === undefined) {
    throw new ScheduleError(`provided bad location ${name}: unknown time zone ${name}`);
  }
  return parseIn(text.slice(space).trim(), named);
}

function parseIn(text: string, zone: TimeZone): Schedule {
  if (text.startsWith("@every ")) return every(text);
  if (text.startsWith("@")) {
    const fields = words.get(text);
    if (fields === undefined) throw new ScheduleError(`unrecognized descriptor: ${text}`);
    return parseIn(fields, zone);
  }
  const fields = text
    .trim()
    .split(/\s+/u)
    .filter((field) => field !== "");
  if (fields.length !== bounds.length) {
    const found = `found ${fields.length}: [${fields.join(" ")}]`;
    throw new ScheduleError(`expected exactly ${bounds.length} fields, ${found}`);
  }
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = bounds.map((bound, i) =>
    parseField(fields[i] ?? "", bound),
  );
  return { next: (after) => nextTime({ minutes, hours, days, months, weekdays, zone }, after) };
}

const bounds: readonly FieldBounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: namesFrom(1, "jan feb mar apr may jun jul aug sep oct nov dec") },
  { min: 0, max: 6, names: namesFrom(0, "sun mon tue wed thu fri sat") },
];

function namesFrom(first: number, names: string): ReadonlyMap<string, number> {
  return new Map(names.split(" ").map((name, i) => [name, first + i]));
}

const words: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** From one time to the next the same while, whole seconds and at least one. */
function every(text: string): Schedule {
  const duration = text.slice("@every ".length);
  let ms: number;
  try {
    ms = parseDurationMs(duration);
  } catch (error) {
    const why = error instanceof Error ? error.message : `time: invalid duration ${goQuote(duration)}`;
    throw new ScheduleError(`failed to parse duration ${text}: ${why}`);
  }
  const step = Math.max(1, Math.floor(ms / 1000)) * 1000;
  return { next: (after) => Math.floor(after / 1000) * 1000 + step };
}

interface Fields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
  readonly zone: TimeZone;
}

const minute = 60_000;

/** Goes from the next minute to the first that fits: over months, days and hours that do not in one step each. */
function nextTime(fields: Fields, after: number): number | undefined {
  const { zone, minutes, hours, months } = fields;
  let time = (Math.floor(after / minute) + 1) * minute;
  const lastYear = new Date(time + zone.offsetAt(time)).getUTCFullYear() + 5;
  for (;;) {
    const wall = new Date(time + zone.offsetAt(time));
    const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
    if (year > lastYear) return undefined;
    if (!months.includes(month + 1)) time = firstTimeAt(zone, Date.UTC(year, month + 1, 1));
    else if (!isDay(fields, wall)) time = firstTimeAt(zone, Date.UTC(year, month, day + 1));
    else if (!hours.includes(wall.getUTCHours())) time += (60 - wall.getUTCMinutes()) * minute;
    else if (!minutes.includes(wall.getUTCMinutes())) time += minute;
    else return time;
  }
}

/** Day of month and day of week: where both are given, one of them is enough. */
function isDay({ days, weekdays }: Fields, wall: Date): boolean {
  const isOfMonth = days.includes(wall.getUTCDate());
  const isOfWeek = weekdays.includes(wall.getUTCDay());
  const isEither = !days.includes(starred) && !weekdays.includes(starred);
  return isEither ? isOfMonth || isOfWeek : isOfMonth && isOfWeek;
}
