import { goQuote } from "../go/go-quote.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../json-value.ts";
import { goJson } from "../go/go-json.ts";
import { parseJsonExactly } from "../json/large-integers.ts";
import { compareText } from "../go/text-order.ts";

/**
 * One step of a path, as fieldsV1 writes it: `f:name` for a field, `k:{"name":"a"}` for the list item with these keys,
 * `v:"a"` for the item of a set, `i:0` for an index. There is one way only to write each, so that equal elements are
 * equal strings.
 */
export type PathElement = string;

/** The element of a field. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The element of a list item, by the values of its keys in any order. */
export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): PathElement {
  const sorted = keys.length < 2 ? keys : keys.toSorted(([a], [b]) => compareText(a, b));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${goJson(value)}`).join(",")}}`;
}

/** The element of a set's item. */
export function valueElement(value: unknown): PathElement {
  return `v:${goJson(value)}`;
}

/** The name of a field element; undefined for the others. */
export function fieldNameOf(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/**
 * Reads an element as anybody may have written it. Undefined for a kind of element that is not known: a later version
 * may know it. Throws when it is broken.
 */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new TypeError("key must be 2 characters long:");
  if (text[1] !== ":") throw new TypeError(`missing colon: ${text}`);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return valueElement(parseJsonExactly(text.slice(2)));
    case "k": {
      const keys = parseJsonExactly(text.slice(2));
      if (!isJsonObject(keys)) throw new TypeError(`must hold keys: ${text}`);
      return keyElement(Object.entries(keys));
    }
    case "i": {
      if (!/^[+-]?\d+$/.test(text.slice(2))) throw new TypeError(`must be an index: ${text}`);
      return `i:${Number(text.slice(2))}`;
    }
    default:
      return undefined;
  }
}

/** Sorts elements as the server does: fields, then keyed items, then items of sets, then indexes. */
export function sortElements(elements: Iterable<PathElement>): readonly PathElement[] {
  const fields: PathElement[] = [];
  const others: { readonly element: PathElement; readonly value: unknown; readonly keys: Entries }[] = [];
  for (const element of elements) {
    if (element.startsWith("f:")) fields.push(element);
    else {
      const value = parseJsonExactly(element.slice(2));
      others.push({
        element,
        value,
        keys: element.startsWith("k:") && isJsonObject(value) ? sortedEntries(value) : [],
      });
    }
  }
  if (fields.some((element) => surrogate.test(element))) fields.sort(compareText);
  else fields.sort();
  if (others.length === 0) return fields;
  others.sort(
    (a, b) =>
      kindRank(a.element) - kindRank(b.element) ||
      compareEntries(a.keys, b.keys) ||
      (a.keys.length === 0 ? compareValues(a.value, b.value) : 0),
  );
  return [...fields, ...others.map(({ element }) => element)];
}

/** Without these, JavaScript's own order is that of Go. */
const surrogate = /[\ud800-\udfff]/;

/** Shows an element as part of a path: `.name`, `[name="a"]`, `[="a"]`, `[0]`. */
export function elementText(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k": {
      const keys = parseJsonExactly(rest);
      const entries = isJsonObject(keys) ? Object.entries(keys) : [];
      const sorted = entries.toSorted(([a], [b]) => compareText(a, b));
      return `[${sorted.map(([name, value]) => `${name}=${valueText(value)}`).join(",")}]`;
    }
    case "v":
      return `[=${valueText(parseJsonExactly(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

function valueText(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (isJsonList(value)) return `[${value.map(valueText).join(",")}]`;
  if (isJsonObject(value)) {
    return Object.entries(value)
      .map(([name, item]) => `${name}=${valueText(item)}`)
      .join("");
  }
  return String(value);
}

function kindRank(element: PathElement): number {
  return "kvi".indexOf(element[0] ?? "");
}

/** Numbers, then text, then booleans, lists, objects, null; objects by name and value of their first difference. */
function compareValues(a: unknown, b: unknown): number {
  const difference = typeRank(a) - typeRank(b);
  if (difference !== 0) return difference;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (isJsonList(a) && isJsonList(b)) return compareSequences(a, b, compareValues);
  if (isJsonObject(a) && isJsonObject(b)) return compareEntries(sortedEntries(a), sortedEntries(b));
  // Exact also for bigints.
  const [left, right] = [numeric(a), numeric(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}

function numeric(value: unknown): number | bigint {
  return typeof value === "bigint" ? value : Number(value);
}

type Entries = readonly (readonly [name: string, value: unknown])[];

function sortedEntries(object: JsonObject): Entries {
  const entries = Object.entries(object);
  return entries.length < 2 ? entries : entries.toSorted(byName);
}

function compareEntries(a: Entries, b: Entries): number {
  return compareSequences(a, b, (left, right) => byName(left, right) || compareValues(left[1], right[1]));
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return compareText(left, right);
}

function compareSequences<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const difference = compare(left, right);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function typeRank(value: unknown): number {
  if (typeof value === "number" || typeof value === "bigint") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (isJsonList(value)) return 3;
  return isJsonObject(value) ? 4 : 5;
}
