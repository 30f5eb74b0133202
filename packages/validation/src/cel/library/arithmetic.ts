import type { Overload } from "../values/environment.ts";
import { compare, noSuchOverload } from "../values/equality.ts";
import { checkedDuration, checkedTimestamp } from "../values/time.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listOf,
  stringType,
  timestampType,
  typeParam,
  uintType,
  type CelType,
} from "../values/types.ts";
import {
  Bytes,
  CelError,
  Duration,
  Timestamp,
  Uint,
  isList,
  isError,
  type ListValue,
  type Value,
} from "../values/values.ts";
import { fn } from "./declare.ts";

const listOfA = listOf(typeParam("A"));

/** `+ - * / %` and the order of values. */
export function arithmetic(): Overload[] {
  return [
    ...binary("_+_", add, [
      ["add_bytes", bytesType, bytesType, bytesType],
      ["add_double", doubleType, doubleType, doubleType],
      ["add_duration_duration", durationType, durationType, durationType],
      ["add_duration_timestamp", durationType, timestampType, timestampType],
      ["add_timestamp_duration", timestampType, durationType, timestampType],
      ["add_int64", intType, intType, intType],
      ["add_list", listOfA, listOfA, listOfA],
      ["add_string", stringType, stringType, stringType],
      ["add_uint64", uintType, uintType, uintType],
    ]),
    ...binary("_-_", subtract, [
      ["subtract_double", doubleType, doubleType, doubleType],
      ["subtract_duration_duration", durationType, durationType, durationType],
      ["subtract_int64", intType, intType, intType],
      ["subtract_timestamp_duration", timestampType, durationType, timestampType],
      ["subtract_timestamp_timestamp", timestampType, timestampType, durationType],
      ["subtract_uint64", uintType, uintType, uintType],
    ]),
    ...binary("_*_", numbers({ int: (a, b) => a * b, double: (a, b) => a * b }), numeric("multiply")),
    ...binary(
      "_/_",
      numbers({
        int: (a, b) => (b === 0n ? new CelError("division by zero") : a / b),
        double: (a, b) => a / b,
      }),
      numeric("divide"),
    ),
    ...binary(
      "_%_",
      numbers({ int: (a, b) => (b === 0n ? new CelError("modulus by zero") : a % b), double: undefined }),
      numeric("modulo").filter(([id]) => id !== "modulo_double"),
    ),
    fn("-_", "negate_double", [doubleType, doubleType], (a = null) => negate(a)),
    fn("-_", "negate_int64", [intType, intType], (a = null) => negate(a)),
    ...orders("_<_", "less", (order) => order < 0),
    ...orders("_<=_", "less_equals", (order) => order <= 0),
    ...orders("_>_", "greater", (order) => order > 0),
    ...orders("_>=_", "greater_equals", (order) => order >= 0),
  ];
}

function binary(
  name: string,
  run: (a: Value, b: Value) => Value,
  overloads: readonly Signature[],
): Overload[] {
  return overloads.map(([id, ...types]) => fn(name, id, types, (a = null, b = null) => run(a, b)));
}

type Signature = readonly [string, CelType, CelType, CelType];

function numeric(name: string): Signature[] {
  return [
    [`${name}_double`, doubleType, doubleType, doubleType],
    [`${name}_int64`, intType, intType, intType],
    [`${name}_uint64`, uintType, uintType, uintType],
  ];
}

function orders(name: string, id: string, holds: (order: number) => boolean): Overload[] {
  const run = (a: Value = null, b: Value = null): Value => {
    const order = compare(a, b);
    return typeof order === "number" ? holds(order) : order;
  };
  const one = (of: string, a: CelType, b: CelType = a): Overload =>
    fn(name, `${id}_${of}`, [a, b, boolType], run);
  return [
    one("bool", boolType),
    one("int64", intType),
    one("int64_double", intType, doubleType),
    one("int64_uint64", intType, uintType),
    one("uint64", uintType),
    one("uint64_double", uintType, doubleType),
    one("uint64_int64", uintType, intType),
    one("double", doubleType),
    one("double_int64", doubleType, intType),
    one("double_uint64", doubleType, uintType),
    one("string", stringType),
    one("bytes", bytesType),
    one("timestamp", timestampType),
    one("duration", durationType),
  ];
}

/** `a + b` of whatever can be added. */
export function add(a: Value, b: Value): Value {
  if (isError(a)) return a;
  if (isError(b)) return b;
  if (typeof a === "string") return typeof b === "string" ? a + b : noSuchOverload;
  if (isList(a)) return isList(b) ? (a.add?.(b) ?? new Joined(a, b)) : noSuchOverload;
  if (a instanceof Bytes) {
    return b instanceof Bytes ? new Bytes(Buffer.concat([a.data, b.data])) : noSuchOverload;
  }
  if (a instanceof Duration) {
    if (b instanceof Duration) return checkedDuration(a.nanos + b.nanos);
    return b instanceof Timestamp ? checkedTimestamp(a.nanos + b.nanos) : noSuchOverload;
  }
  if (a instanceof Timestamp) {
    return b instanceof Duration ? checkedTimestamp(a.nanos + b.nanos) : noSuchOverload;
  }
  return sum(a, b);
}

const sum = numbers({ int: (a, b) => a + b, double: (a, b) => a + b });

function subtract(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return checkedDuration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return checkedTimestamp(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return checkedDuration(a.nanos - b.nanos);
  return difference(a, b);
}

const difference = numbers({ int: (a, b) => a - b, double: (a, b) => a - b });

interface Operation {
  readonly int: (a: bigint, b: bigint) => bigint | CelError;
  readonly double: ((a: number, b: number) => number) | undefined;
}

/** An operation on two numbers of one type, which must fit into 64 bits. */
function numbers({ int, double }: Operation): (a: Value, b: Value) => Value {
  return (a, b) => {
    if (typeof a === "bigint" && typeof b === "bigint") {
      const result = int(a, b);
      return typeof result === "bigint" && (result > maxInt || result < minInt) ? intOverflow : result;
    }
    if (typeof a === "number" && typeof b === "number" && double !== undefined) return double(a, b);
    if (a instanceof Uint && b instanceof Uint) {
      const result = int(a.value, b.value);
      if (typeof result !== "bigint") return result;
      return result > maxUint || result < 0n ? new CelError("unsigned integer overflow") : new Uint(result);
    }
    return noSuchOverload;
  };
}

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;
const intOverflow = new CelError("integer overflow");

function negate(a: Value): Value {
  if (typeof a === "number") return -a;
  if (typeof a === "bigint") return a === minInt ? intOverflow : -a;
  return noSuchOverload;
}

/** Two lists after each other, without copying them. */
class Joined implements ListValue {
  readonly list = true;
  readonly size: number;
  readonly #first: ListValue;
  readonly #second: ListValue;
  #items: readonly Value[] | undefined;

  constructor(first: ListValue, second: ListValue) {
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  at(index: number): Value {
    this.#items ??= this.#flat();
    return this.#items[index] ?? null;
  }

  outside(this: void, index: bigint): string {
    return `index out of bounds: ${index}`;
  }

  /** Joined lists may be joined many times over: walking them must not be as deep. */
  #flat(): readonly Value[] {
    const parts: ListValue[] = [];
    const open: ListValue[] = [this];
    for (let list = open.pop(); list !== undefined; list = open.pop()) {
      if (list instanceof Joined && list.#items === undefined) open.push(list.#second, list.#first);
      else parts.push(list);
    }
    const items: Value[] = [];
    for (const part of parts) for (let index = 0; index < part.size; index += 1) items.push(part.at(index));
    return items;
  }
}
