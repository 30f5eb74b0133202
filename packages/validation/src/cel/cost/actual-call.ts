import { regexSizeOf } from "../library/named-formats.ts";
import { networkSize } from "../library/networks.ts";
import { characters } from "../library/standard.ts";
import { Bytes, Optional, isList, isMap, isOpaque, type Value } from "../values/values.ts";
import { listCost, perCharacter, perPatternCharacter, structCost } from "./range.ts";

/** What a call has cost, without its arguments. */
export type ActualCost = (args: readonly Value[], result: Value) => number;

/** How a call of a function is charged. */
export function actualCostOf(name: string, overload: string): ActualCost {
  return byOverload.get(overload) ?? byName.get(name) ?? one;
}

const one: ActualCost = () => 1;
const firstText: ActualCost = ([first = null]) => Math.ceil(sizeOf(first) * perCharacter);
const twiceFirst: ActualCost = ([first = null]) => Math.ceil(sizeOf(first) * 2 * perCharacter);
const traversed: ActualCost = ([first = null]) => traversal(first);
const pattern: ActualCost = ([text = null, expression = null]) =>
  Math.ceil((1 + sizeOf(text)) * perCharacter) * Math.ceil(sizeOf(expression) * perPatternCharacter);
const smaller: ActualCost = ([a = null, b = null]) =>
  isOpaque(a) ? 1 : Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * perCharacter);
const both: ActualCost = ([a = null, b = null]) => Math.ceil((sizeOf(a) + sizeOf(b)) * perCharacter);
const outputList: ActualCost = (_, result) => sizeOf(result) + 1 + listCost;
const selfCompared =
  (position: number): ActualCost =>
  (args) => {
    const list = args[position] ?? null;
    const size = sizeOf(list);
    const first = isList(list) && size > 0 ? list.at(0) : null;
    const factor = typeof first === "string" || first instanceof Bytes ? 2 + perCharacter : 2;
    return Math.floor(size * size * factor) + 1 + listCost;
  };
const sets =
  (factor: number): ActualCost =>
  ([a = null, b = null]) =>
    1 + sizeOf(a) * sizeOf(b) * factor;

function containment(network: boolean, parsed: boolean): ActualCost {
  return ([cidr = null, other = null]) => {
    const size = sizeOf(cidr);
    const compared = Math.ceil(2 * size * perCharacter);
    const masked = network ? Math.ceil(size * perCharacter) + 1 : 0;
    return compared + masked + (parsed ? Math.ceil(sizeOf(other) * perCharacter) : 0);
  };
}

const byName: ReadonlyMap<string, ActualCost> = new Map([
  ...["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"].map((name) => [name, traversed] as const),
  ...["url", "lowerAscii", "upperAscii", "substring", "trim"].map((name) => [name, firstText] as const),
  ...["cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"].map(
    (name) => [name, firstText] as const,
  ),
  ...["replace", "split", "ip.isCanonical"].map((name) => [name, twiceFirst] as const),
  ["join", (_, result) => Math.ceil(sizeOf(result) * 2 * perCharacter)],
  ["check", () => 350_000],
  ["fieldSelector", ([, text = null]) => selectorCost(sizeOf(text))],
  ["labelSelector", ([, text = null]) => selectorCost(sizeOf(text))],
  ["jsonpatch.escapeKey", firstText],
  ["find", pattern],
  ["findAll", pattern],
  [
    "validate",
    ([format = null, text = null]) =>
      Math.ceil((1 + sizeOf(text)) * perCharacter) *
      Math.ceil((regexSizeOf(format) ?? 0) * perPatternCharacter),
  ],
]);

const byOverload: ReadonlyMap<string, ActualCost> = new Map([
  ...[
    "starts_with_string",
    "ends_with_string",
    "string_to_bytes",
    "bytes_to_string",
    "strings_quote",
    "string_format",
  ].map((id) => [id, firstText] as const),
  ["in_list", ([, list = null]) => sizeOf(list)],
  ["equals", smaller],
  ["not_equals", smaller],
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((name) => [
    [`${name}_string`, smaller] as const,
    [`${name}_bytes`, smaller] as const,
  ]),
  ["add_string", both],
  ["add_bytes", both],
  ["matches_string", pattern],
  [
    "contains_string",
    ([text = null, part = null]) =>
      Math.ceil(sizeOf(text) * perCharacter) * Math.ceil(sizeOf(part) * perCharacter),
  ],
  ["cidr_ip", one],
  ["cidr_contains_ip_string", containment(false, true)],
  ["cidr_contains_ip_ip", containment(false, false)],
  ["cidr_contains_cidr_string", containment(true, true)],
  ["cidr_contains_cidr", containment(true, false)],
  ["list_slice", outputList],
  ["lists_range", outputList],
  ["list_reverse", outputList],
  ["list_flatten", ([list = null]) => sizeOf(list) + 1 + listCost],
  [
    "list_flatten_int",
    ([list = null, depth = 1n]) =>
      sizeOf(list) * Number(typeof depth === "bigint" ? depth : 1n) + 1 + listCost,
  ],
  ["list_distinct", selfCompared(0)],
  ...[
    "int",
    "uint",
    "double",
    "bool",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "string",
    "bytes",
  ].flatMap((type) => [
    [`list_${type}_sort`, selfCompared(0)] as const,
    [`list_${type}_sortByAssociatedKeys`, selfCompared(1)] as const,
  ]),
  ["list_sets_contains_list", sets(1)],
  ["list_sets_intersects_list", sets(1)],
  ["list_sets_equivalent_list", sets(2)],
]);

/** A selector is parsed, and counts as if it had as many requirements as its length allows. */
function selectorCost(length: number): number {
  return (
    listCost + Math.ceil(length * perCharacter) + Math.ceil(Math.ceil(length / 2) * (listCost + structCost))
  );
}

/** Characters, bytes, items or entries; 1 for everything else. */
function sizeOf(value: Value): number {
  if (typeof value === "string") return characters(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof Bytes) return value.data.length;
  if (isList(value) || isMap(value)) return value.size;
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value);
  return networkSize(value) ?? 1;
}

function traversal(value: Value): number {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * perCharacter);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof Bytes) return Math.floor(value.data.length * perCharacter);
  let cost = 0;
  if (isList(value)) for (let index = 0; index < value.size; index += 1) cost += traversal(value.at(index));
  else if (isMap(value))
    for (const key of value.keys()) cost += traversal(key) + traversal(value.find(key) ?? null);
  else return 1;
  return cost;
}
