import { exactInteger, isJsonList, isJsonObject, type JsonObject } from "@kedge/machinery";
import {
  Bytes,
  CelError,
  Duration,
  Optional,
  StructValue,
  Timestamp,
  Uint,
  isError,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  type Value,
} from "../cel/values/values.ts";
import { durationText, timestampText } from "../cel/values/time.ts";

/** What JSON is in expressions that know nothing of its type. Parts are converted when they are asked for. */
export function dynamicValue(json: unknown): Value {
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (typeof json === "string" || typeof json === "boolean" || typeof json === "bigint") return json;
  if (isJsonList(json)) return new DynamicList(json);
  return isJsonObject(json) ? new DynamicMap(json) : null;
}

class DynamicList implements ListValue {
  readonly list = true;
  readonly #items: readonly unknown[];
  readonly #values: (Value | undefined)[] = [];

  constructor(items: readonly unknown[]) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return (this.#values[index] ??= dynamicValue(this.#items[index]));
  }

  outside(this: void, index: bigint): string {
    return `index out of bounds: ${index}`;
  }
}

class DynamicMap implements MapValue {
  readonly map = true;
  readonly #entries: JsonObject;
  readonly #values = new Map<string, Value>();

  constructor(entries: JsonObject) {
    this.#entries = entries;
  }

  get size(): number {
    return this.keys().length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#entries, key)) return undefined;
    if (this.#entries[key] === undefined) return undefined;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = dynamicValue(this.#entries[key]);
    this.#values.set(key, value);
    return value;
  }

  keys(): readonly Value[] {
    return Object.keys(this.#entries).filter((key) => this.#entries[key] !== undefined);
  }
}

/** A value as JSON; an error for what has no such form. */
export function jsonOf(value: Value): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return exactInteger(value);
  if (isError(value)) return value;
  if (value instanceof Uint) return exactInteger(value.value);
  if (value instanceof Bytes) return Buffer.from(value.data).toString("base64");
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Optional) return value.value === undefined ? null : jsonOf(value.value);
  if (isList(value)) return listJson(value);
  if (isMap(value)) return mapJson(value);
  return new CelError("unsupported conversion to JSON");
}

function listJson(list: ListValue): unknown {
  const items: unknown[] = [];
  for (let index = 0; index < list.size; index++) {
    const item = jsonOf(list.at(index));
    if (item instanceof CelError) return item;
    items.push(item);
  }
  return items;
}

function mapJson(map: MapValue): unknown {
  const entries: [string, unknown][] = [];
  for (const key of map.keys()) {
    if (typeof key !== "string") return new CelError("a key of the map is no string");
    const value = jsonOf(map.find(key) ?? null);
    if (value instanceof CelError) return value;
    entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

/** What is wrong with the names of the types of an object, which have to be those of the fields that they stand in. */
export function misplacedTypes(value: Value, path: string): string[] {
  if (isList(value))
    return Array.from({ length: value.size }, (_, index) => misplacedTypes(value.at(index), path)).flat();
  if (!isMap(value)) return [];
  if (!(value instanceof StructValue))
    return value.keys().flatMap((key) => misplacedTypes(value.find(key) ?? null, path));
  const { name } = value.type;
  return [
    ...(name === path
      ? []
      : [
          `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
        ]),
    ...[...value.fields].flatMap(([field, part]) => misplacedTypes(part, `${path}.${field}`)),
  ];
}
