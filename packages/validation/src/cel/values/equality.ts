import { deepEqual } from "@kedge/machinery";
import { runtimeType } from "./runtime-type.ts";
import {
  Bytes,
  CelError,
  Duration,
  Optional,
  Preserved,
  Timestamp,
  TypeValue,
  Uint,
  isError,
  isList,
  isMap,
  isOpaque,
  keyOf,
  type ListValue,
  type MapValue,
  type Value,
} from "./values.ts";

/** Values that were compared since this was asked last: what has large parts takes longer to compare than it costs. */
export function takeComparisons(): number {
  const taken = comparisons;
  comparisons = 0;
  return taken;
}

let comparisons = 0;

/** What is told when a function cannot do anything with a value. */
export const noSuchOverload = new CelError("no such overload");

/** `a == b`: true, false or an error. Values of different types are different; numbers are compared by what they are. */
export function equal(a: Value, b: Value): Value {
  comparisons += 1;
  if (a === null || b === null) return a === b;
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (typeof a !== "object") return a === b;
  if (isError(a)) return a;
  if (isList(a)) return equalLists(a, b);
  if (isMap(a)) return equalMaps(a, b);
  if (a instanceof Bytes) return b instanceof Bytes && Buffer.compare(a.data, b.data) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.type.name === b.type.name;
  if (a instanceof Optional) return equalOptionals(a, b);
  if (a instanceof Preserved) return deepEqual(a.json, rawOf(b));
  return isOpaque(a) && a.equals(b);
}

/** A list of JSON is compared item by item, and told to be no match for what is no list. */
function equalLists(a: ListValue, b: Value): Value {
  if (!isList(b)) return a.raw === undefined ? false : orError(b);
  if (a.equals !== undefined) return a.equals(b);
  if (a.size !== b.size) return false;
  for (let index = 0; index < a.size; index += 1) {
    const same = equal(a.at(index), b.at(index));
    if (same !== true) return same;
  }
  return true;
}

function equalMaps(a: MapValue, b: Value): Value {
  if (!isMap(b)) return a.raw === undefined ? false : orError(b);
  if (a.equals !== undefined) return a.equals(b);
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.find(key);
    if (other === undefined) return false;
    const same = equal(a.find(key) ?? null, other);
    if (same !== true) return same;
  }
  return true;
}

function equalOptionals(a: Optional, b: Value): Value {
  if (!(b instanceof Optional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equal(a.value, b.value);
}

function orError(value: Value): Value {
  return isError(value) ? value : noSuchOverload;
}

/** What a value is as JSON, where it came from there. */
export function rawOf(value: Value): unknown {
  if (typeof value === "bigint") return Number(value);
  if (isList(value))
    return value.raw ?? Array.from({ length: value.size }, (_, index) => rawOf(value.at(index)));
  if (isMap(value)) {
    return (
      value.raw ??
      Object.fromEntries(
        value.keys().map((key) => [keyOf(key)?.slice(1) ?? "", rawOf(value.find(key) ?? null)]),
      )
    );
  }
  if (value instanceof Preserved) return value.json;
  return value;
}

type Numeric = bigint | number | Uint;

function isNumeric(value: Value): value is Numeric {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

/** Below, at or above 0; NaN when the two have no order. */
function compareNumbers(a: Numeric, b: Numeric): number {
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

/** The order of two values of one type, or an error. */
export function compare(a: Value, b: Value): number | CelError {
  if (isError(a)) return a;
  if (isError(b)) return b;
  if (isNumeric(a)) {
    if (!isNumeric(b)) return noSuchOverload;
    const found = compareNumbers(a, b);
    return Number.isNaN(found) ? new CelError("NaN values cannot be ordered") : found;
  }
  if (typeof a === "string") return typeof b === "string" ? compareText(a, b) : noSuchOverload;
  if (typeof a === "boolean") return typeof b === "boolean" ? Number(a) - Number(b) : noSuchOverload;
  if (a instanceof Bytes) return b instanceof Bytes ? Buffer.compare(a.data, b.data) : noSuchOverload;
  if (a instanceof Duration) return b instanceof Duration ? order(a.nanos, b.nanos) : noSuchOverload;
  if (a instanceof Timestamp) return b instanceof Timestamp ? order(a.nanos, b.nanos) : noSuchOverload;
  return noSuchOverload;
}

function order(a: bigint, b: bigint): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** By code points, as Go compares UTF-8; JavaScript compares units of UTF-16. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    const surrogates =
      left >= 0xd800 && left < 0xe000 ? right < 0xd800 || right >= 0xe000 : right >= 0xd800 && right < 0xe000;
    if (surrogates) return left >= 0xd800 && left < 0xe000 ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

/** Whether a list has an item: true, false, or an error when an item could not be compared and none is equal. */
export function contains(list: ListValue, value: Value): Value {
  if (isError(value)) return value;
  let wrong: Value | undefined;
  for (let index = 0; index < list.size; index += 1) {
    const same = equal(list.at(index), value);
    if (same === true) return true;
    if (same !== false) wrong ??= same;
  }
  return wrong ?? false;
}

/** `no such overload: name(types)`, or the first error among the arguments. */
export function noOverloadFor(name: string, args: readonly Value[]): Value {
  const wrong = args.find(isError);
  if (wrong !== undefined) return wrong;
  return new CelError(`no such overload: ${name}(${args.map((arg) => runtimeType(arg).name).join(", ")})`);
}
