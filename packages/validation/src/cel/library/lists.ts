import type { Overload } from "../values/environment.ts";
import { compare, contains, equal, noSuchOverload } from "../values/equality.ts";
import { runtimeType } from "../values/runtime-type.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  optionalOf,
  stringType,
  timestampType,
  typeParam,
  uintType,
  type CelType,
} from "../values/types.ts";
import {
  CelError,
  Duration,
  Optional,
  PlainList,
  Uint,
  isError,
  isList,
  type ListValue,
  type Value,
} from "../values/values.ts";
import { add } from "./arithmetic.ts";
import { fn, itemsOf, list, method } from "./declare.ts";

const comparable: readonly CelType[] = [
  intType,
  uintType,
  doubleType,
  boolType,
  durationType,
  timestampType,
  stringType,
  bytesType,
];

const zeros: readonly (readonly [CelType, Value])[] = [
  [intType, 0n],
  [uintType, new Uint(0n)],
  [doubleType, 0],
  [durationType, new Duration(0n)],
];

/** Kubernetes' functions of lists, the extension `lists` (version 3) and `sets`. */
export function lists(): Overload[] {
  const [a, t] = [typeParam("A"), typeParam("T")];
  const [listOfT, listOfDyn] = [listOf(t), listOf(dynType)];
  return [
    ...comparable.map((type) =>
      method("isSorted", `list_${type.kind}_is_sorted_bool`, [listOf(type), boolType], list(isSorted)),
    ),
    ...zeros.map(([type, zero]) =>
      method(
        "sum",
        `list_${type.kind}_sum_${type.kind}`,
        [listOf(type), type],
        list((from) => itemsOf(from).reduce(add, zero)),
      ),
    ),
    ...comparable.map((type) =>
      method(
        "max",
        `list_${type.kind}_max_${type.kind}`,
        [listOf(type), type],
        list((from) => extreme(from, "max")),
      ),
    ),
    ...comparable.map((type) =>
      method(
        "min",
        `list_${type.kind}_min_${type.kind}`,
        [listOf(type), type],
        list((from) => extreme(from, "min")),
      ),
    ),
    method(
      "indexOf",
      "list_a_index_of_int",
      [listOf(a), a, intType],
      list((from, item = null) => BigInt(itemsOf(from).findIndex((each) => equal(each, item) === true))),
    ),
    method(
      "lastIndexOf",
      "list_a_last_index_of_int",
      [listOf(a), a, intType],
      list((from, item = null) => BigInt(itemsOf(from).findLastIndex((each) => equal(each, item) === true))),
    ),
    method("slice", "list_slice", [listOfT, intType, intType, listOfT], list(slice)),
    method(
      "flatten",
      "list_flatten",
      [listOf(listOfT), listOfT],
      list((from) => flatten(from, 1n)),
    ),
    method(
      "flatten",
      "list_flatten_int",
      [listOfDyn, intType, listOfDyn],
      list((from, depth = 1n) => (typeof depth === "bigint" ? flatten(from, depth) : noSuchOverload)),
    ),
    ...comparable.map((type) =>
      method(
        "sort",
        `list_${type.name}_sort`,
        [listOf(type), listOf(type)],
        list((from) => sortedBy(from, from)),
      ),
    ),
    ...comparable.map((type) =>
      method(
        "@sortByAssociatedKeys",
        `list_${type.name}_sortByAssociatedKeys`,
        [listOfT, listOf(type), listOfT],
        list((from, keys = null) => (isList(keys) ? sortedBy(from, keys) : noSuchOverload)),
      ),
    ),
    fn("lists.range", "lists_range", [intType, listOf(intType)], (count = 0n) =>
      typeof count === "bigint" ? range(count) : noSuchOverload,
    ),
    method(
      "reverse",
      "list_reverse",
      [listOfT, listOfT],
      list((from) => new PlainList(itemsOf(from).toReversed())),
    ),
    method("distinct", "list_distinct", [listOfT, listOfT], list(distinct)),
    method(
      "first",
      "list_first",
      [listOfT, optionalOf(t)],
      list((from) => (from.size === 0 ? Optional.none : new Optional(from.at(0)))),
    ),
    method(
      "last",
      "list_last",
      [listOfT, optionalOf(t)],
      list((from) => (from.size === 0 ? Optional.none : new Optional(from.at(from.size - 1)))),
    ),
    fn("sets.contains", "list_sets_contains_list", [listOfT, listOfT, boolType], sets(containsAll)),
    fn(
      "sets.equivalent",
      "list_sets_equivalent_list",
      [listOfT, listOfT, boolType],
      sets((one, two) => {
        const there = containsAll(one, two);
        return there === true ? containsAll(two, one) : there;
      }),
    ),
    fn(
      "sets.intersects",
      "list_sets_intersects_list",
      [listOfT, listOfT, boolType],
      sets((one, two) => itemsOf(one).some((item) => contains(two, item) === true)),
    ),
  ];
}

function isSorted(from: ListValue): Value {
  for (let index = 1; index < from.size; index += 1) {
    const order = compare(from.at(index - 1), from.at(index));
    if (typeof order === "number" && order > 0) return false;
  }
  return true;
}

function extreme(from: ListValue, name: "max" | "min"): Value {
  let best: Value | undefined;
  for (const item of itemsOf(from)) {
    const order = best === undefined ? undefined : compare(best, item);
    if (order === undefined || (typeof order === "number" && (name === "min" ? order > 0 : order < 0)))
      best = item;
  }
  return best ?? new CelError(`${name} called on empty list`);
}

function slice(from: ListValue, start: Value = null, end: Value = null): Value {
  if (typeof start !== "bigint" || typeof end !== "bigint") return noSuchOverload;
  const cannot = (why: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) return cannot("negative indexes not supported");
  if (start > end) return cannot("start index must be less than or equal to end index");
  if (from.size < end) return cannot(`list is length ${from.size}`);
  return new PlainList(itemsOf(from).slice(Number(start), Number(end)));
}

function flatten(from: ListValue, depth: bigint): Value {
  if (depth < 0n) return new CelError("level must be non-negative");
  let items = itemsOf(from);
  for (let level = 0n; level < depth && items.some(isList); level += 1n) {
    items = items.flatMap((item) => (isList(item) ? itemsOf(item) : [item]));
  }
  return new PlainList(items);
}

function sortedBy(from: ListValue, keys: ListValue): Value {
  if (from.size !== keys.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${from.size} and ${keys.size} elements respectively`,
    );
  }
  const wanted = keys.size === 0 ? "" : runtimeType(keys.at(0)).name;
  const pairs = itemsOf(from).map((item, index) => [keys.at(index), item] as const);
  if (pairs.some(([key]) => runtimeType(key).name !== wanted)) {
    return new CelError("list elements must have the same type");
  }
  const sorted = pairs.toSorted(([one], [two]) => {
    const order = compare(one, two);
    return typeof order === "number" ? order : 0;
  });
  return new PlainList(sorted.map(([, item]) => item));
}

/** Numbers that `lists.range` makes at most: more of them cost more than an expression may. */
const longestRange = 1_000_000n;

function range(count: bigint): Value {
  if (count > longestRange) return new CelError("operation cancelled: actual cost limit exceeded");
  return new PlainList(Array.from({ length: Number(count < 0n ? 0n : count) }, (_, index) => BigInt(index)));
}

function distinct(from: ListValue): Value {
  // Twice the square of so many is more than an expression may cost.
  if (from.size > 1_000) return new CelError("operation cancelled: actual cost limit exceeded");
  const kept: Value[] = [];
  for (const item of itemsOf(from)) if (!kept.some((other) => equal(item, other) === true)) kept.push(item);
  return new PlainList(kept);
}

function sets(run: (one: ListValue, two: ListValue) => Value): NonNullable<Overload["run"]> {
  return (one = null, two = null) => {
    if (!isList(one) || !isList(two)) return noSuchOverload;
    if (one.size * two.size > 1_000_000)
      return new CelError("operation cancelled: actual cost limit exceeded");
    return run(one, two);
  };
}

function containsAll(all: ListValue, some: ListValue): Value {
  for (const item of itemsOf(some)) {
    const there = contains(all, item);
    if (there !== true) return isError(there) ? there : false;
  }
  return true;
}
