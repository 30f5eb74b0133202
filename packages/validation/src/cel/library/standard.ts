import type { Overload } from "../values/environment.ts";
import { compilePattern, mostWork } from "../../pattern.ts";
import { noSuchOverload } from "../values/equality.ts";
import { partsIn, type TimeParts } from "../values/time.ts";
import {
  boolType,
  bytesType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  optionalOf,
  stringType,
  timestampType,
  typeParam,
} from "../values/types.ts";
import { Bytes, CelError, Duration, Timestamp, isList, isMap, type Value } from "../values/values.ts";
import { costLimitExceeded } from "../values/limits.ts";
import { fn, method, texts } from "./declare.ts";

/** What CEL has by itself beside arithmetic and conversions. What has nothing to run is done by the interpreter. */
export function standard(): Overload[] {
  const [a, b] = [typeParam("A"), typeParam("B")];
  const [listOfA, mapOfAB] = [listOf(a), mapOf(a, b)];
  return [
    fn("_?_:_", "conditional", [boolType, a, a, a]),
    fn("_&&_", "logical_and", [boolType, boolType, boolType]),
    fn("_||_", "logical_or", [boolType, boolType, boolType]),
    fn("!_", "logical_not", [boolType, boolType], (value = null) =>
      typeof value === "boolean" ? !value : noSuchOverload,
    ),
    fn("@not_strictly_false", "not_strictly_false", [boolType, boolType]),
    fn("_==_", "equals", [a, a, boolType]),
    fn("_!=_", "not_equals", [a, a, boolType]),
    fn("_[_]", "index_list", [listOfA, intType, a]),
    fn("_[_]", "index_map", [mapOfAB, a, b]),
    fn("_[_]", "optional_list_index_int", [optionalOf(listOfA), intType, optionalOf(a)]),
    fn("_[_]", "optional_map_index_value", [optionalOf(mapOfAB), a, optionalOf(b)]),
    fn("_[?_]", "list_optindex_optional_int", [listOfA, intType, optionalOf(a)]),
    fn("_[?_]", "optional_list_optindex_optional_int", [optionalOf(listOfA), intType, optionalOf(a)]),
    fn("_[?_]", "map_optindex_optional_value", [mapOfAB, a, optionalOf(b)]),
    fn("_[?_]", "optional_map_optindex_optional_value", [optionalOf(mapOfAB), a, optionalOf(b)]),
    fn("_?._", "select_optional_field", [dynType, stringType, optionalOf(a)]),
    fn("@in", "in_list", [a, listOfA, boolType]),
    fn("@in", "in_map", [a, mapOfAB, boolType]),
    ...[bytesType, listOfA, mapOfAB, stringType].flatMap((type) => [
      fn("size", `size_${type.kind}`, [type, intType], size),
      method("size", `${type.kind}_size`, [type, intType], size),
    ]),
    method(
      "contains",
      "contains_string",
      [stringType, stringType, boolType],
      texts((text = "", part = "") => text.includes(part)),
    ),
    method(
      "endsWith",
      "ends_with_string",
      [stringType, stringType, boolType],
      texts((text = "", end = "") => text.endsWith(end)),
    ),
    method(
      "startsWith",
      "starts_with_string",
      [stringType, stringType, boolType],
      texts((text = "", start = "") => text.startsWith(start)),
    ),
    fn("matches", "matches", [stringType, stringType, boolType], texts(matches)),
    method("matches", "matches_string", [stringType, stringType, boolType], texts(matches)),
    ...timeGetters(),
  ];
}

function size(value: Value = null): Value {
  if (typeof value === "string") return BigInt(characters(value));
  if (value instanceof Bytes) return BigInt(value.data.length);
  return isList(value) || isMap(value) ? BigInt(value.size) : noSuchOverload;
}

/** Code points, as Go counts runes. */
export function characters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd8_00 && unit < 0xdc_00) count -= 1;
  }
  return count;
}

function matches(text = "", pattern = ""): Value {
  const compiled = compilePattern(pattern);
  return compiled.error === undefined
    ? (tooMuchWork(text, pattern) ?? compiled.matches(text))
    : new CelError(compiled.error);
}

function getter(name: string, id: string, part: (parts: TimeParts) => number): Overload[] {
  const run = (time: Value = null, zone: Value = "UTC"): Value => {
    if (!(time instanceof Timestamp) || typeof zone !== "string") return noSuchOverload;
    const parts = partsIn(time, zone);
    return parts instanceof CelError ? parts : BigInt(part(parts));
  };
  return [
    method(name, `timestamp_to_${id}`, [timestampType, intType], run),
    method(name, `timestamp_to_${id}_with_tz`, [timestampType, stringType, intType], run),
  ];
}

function length(name: string, id: string, unit: bigint): Overload {
  return method(name, `duration_to_${id}`, [durationType, intType], (value = null) =>
    value instanceof Duration ? value.nanos / unit : noSuchOverload,
  );
}

function timeGetters(): Overload[] {
  return [
    ...getter("getFullYear", "year", ({ year }) => year),
    ...getter("getMonth", "month", ({ month }) => month - 1),
    ...getter("getDayOfYear", "day_of_year", ({ dayOfYear }) => dayOfYear),
    ...getter("getDayOfMonth", "day_of_month", ({ day }) => day - 1),
    ...getter("getDate", "day_of_month_1_based", ({ day }) => day),
    ...getter("getDayOfWeek", "day_of_week", ({ weekday }) => weekday),
    ...getter("getHours", "hours_tz", ({ hours }) => hours),
    length("getHours", "hours", 3_600_000_000_000n),
    ...getter("getMinutes", "minutes", ({ minutes }) => minutes),
    length("getMinutes", "minutes", 60_000_000_000n),
    ...getter("getSeconds", "seconds", ({ seconds }) => seconds),
    length("getSeconds", "seconds", 1_000_000_000n),
    ...getter("getMilliseconds", "milliseconds", ({ millis }) => millis),
    length("getMilliseconds", "milliseconds", 1_000_000n),
  ];
}

/** What a regular expression may cost is limited for all; one that nobody could wait for counts as too costly. */
export function tooMuchWork(text: string, pattern: string): CelError | undefined {
  return text.length * pattern.length > mostWork ? new CelError(costLimitExceeded) : undefined;
}
