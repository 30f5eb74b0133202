import { goQuote } from "../go/go-quote.ts";
import { ScheduleError } from "./schedule-error.ts";

/** What a field of a schedule may hold. */
export interface FieldBounds {
  readonly min: number;
  readonly max: number;
  /** In lower case. */
  readonly names?: ReadonlyMap<string, number>;
}

/** Among the values of a field that says `*`: it leaves the decision to others. */
export const starred = -1;

/** The values of a field: `*`, `5`, `mon-fri`, `0-30/10`, `1/15`, and several of these between commas. */
export function parseField(field: string, bounds: FieldBounds): readonly number[] {
  const values = field
    .split(",")
    .filter((range) => range !== "")
    .flatMap((range) => parseRange(range, bounds));
  return [...new Set(values)];
}

function parseRange(text: string, { min, max, names }: FieldBounds): readonly number[] {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const [low = "", high, ...moreHigh] = range.split("-");
  const isStar = low === "*" || low === "?";
  const start = isStar ? min : parseValue(low, names);
  let end = start;
  if (isStar) end = max;
  else if (moreHigh.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
  else if (high !== undefined) end = parseValue(high, names);
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseValue(stepText);
  // 5/10 means 5-59/10.
  if (stepText !== undefined && high === undefined) end = max;
  if (start < min) throw new ScheduleError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new ScheduleError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) {
    throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  }
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
  const values = Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, i) => start + i * step);
  return isStar && step === 1 ? [starred, ...values] : values;
}

function parseValue(text: string, names?: ReadonlyMap<string, number>): number {
  const named = names?.get(text.toLowerCase());
  if (named !== undefined) return named;
  const isNumber = /^[+-]?\d+$/u.test(text);
  if (!isNumber || !Number.isSafeInteger(Number(text))) {
    const why = isNumber ? "value out of range" : "invalid syntax";
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: ${why}`,
    );
  }
  const value = Number(text);
  if (value < 0) throw new ScheduleError(`negative number (${value}) not allowed: ${text}`);
  return value;
}
