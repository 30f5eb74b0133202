import { goQuote } from "../go/go-quote.ts";
import { getOwn, isJsonList, isJsonObject } from "../json-value.ts";
import type { ListSchema } from "../type-schema/type-schema.ts";
import { keyElement, valueElement, type PathElement } from "./path-element.ts";

/** The element that names an item of a set or map list. Throws when the item cannot be named. */
export function itemElement(list: ListSchema, item: unknown): PathElement {
  if (list.type === "atomic") throw new TypeError("invalid indexing of non-associative list");
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

/** The same, but for an item that cannot be named an element that is no item's. */
export function itemElementOrNone(list: ListSchema, item: unknown): PathElement {
  try {
    return itemElement(list, item);
  } catch {
    return "";
  }
}

function keyedElement(list: ListSchema, item: unknown): PathElement {
  if (item === null || item === undefined) {
    throw new TypeError("associative list with keys may not have a null element");
  }
  if (!isJsonObject(item)) throw new TypeError("associative list with keys may not have non-map elements");
  const keys: (readonly [string, unknown])[] = [];
  for (const name of list.keys) {
    const own = getOwn(item, name);
    const value = own === undefined ? defaultKey(list, name) : own;
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0) {
    const names = `[${list.keys.map(goQuote).join(" ")}]`;
    throw new TypeError(
      `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keys);
}

/** A key that is left out has its default; without one, items with and without the key are different items. */
function defaultKey(list: ListSchema, name: string): unknown {
  if (list.item.map === undefined) {
    throw new TypeError(
      `couldn't find default value for ${name}: associative list may not have non-map types`,
    );
  }
  return list.item.map.field(name)?.default;
}

function setElement(item: unknown): PathElement {
  if (isJsonObject(item))
    throw new TypeError("associative list without keys has an element that's a map type");
  if (isJsonList(item)) throw new TypeError("not supported: associative list with lists as elements");
  if (item === null || item === undefined) {
    throw new TypeError("associative list without keys has an element that's an explicit null");
  }
  return valueElement(item);
}
