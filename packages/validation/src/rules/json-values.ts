import { deepEqual, isJsonList, isJsonObject, type JsonObject } from "@kedge/machinery";
import { equal } from "../cel/values/equality.ts";
import { parseDate, parseSchemaDuration, parseTimestamp } from "../cel/values/time.ts";
import {
  Bytes,
  CelError,
  Preserved,
  type ListValue,
  type MapValue,
  type Value,
} from "../cel/values/values.ts";
import { additionalOf, itemsOf, propertyOf, type JsonSchema } from "../json-schema.ts";
import { withObjectMeta } from "./declared.ts";
import { escapeName, unescapeName } from "./escape.ts";

/** What JSON of a schema is in expressions. Parts of it are converted when they are asked for. */
export function valueOf(json: unknown, schema: JsonSchema): Value {
  if (json === null || json === undefined) {
    return schema.nullable === true
      ? null
      : new CelError("invalid data, got null for schema with nullable=false");
  }
  if (schema["x-kubernetes-int-or-string"] === true) {
    if (typeof json === "string") return json;
    return (
      integerOf(json) ??
      new CelError("invalid data, expected XIntOrString value to be either a string or integer")
    );
  }
  switch (schema.type) {
    case "object":
      return isJsonObject(json)
        ? new JsonMap(
            json,
            schema["x-kubernetes-embedded-resource"] === true ? withObjectMeta(schema) : schema,
          )
        : new CelError("invalid data, expected a map for the provided schema with type=object");
    case "array":
      return listOf(json, schema);
    case "string":
      return textOf(json, schema.format);
    case "number":
      if (typeof json === "number" || typeof json === "bigint") return Number(json);
      return new CelError(`invalid data, expected float, got ${goTypeOf(json)}`);
    case "integer":
      return integerOf(json) ?? new CelError(`invalid data, expected int, got ${goTypeOf(json)}`);
    case "boolean":
      return typeof json === "boolean"
        ? json
        : new CelError(`invalid data, expected bool, got ${goTypeOf(json)}`);
    default:
      return new Preserved(json);
  }
}

function integerOf(json: unknown): bigint | undefined {
  if (typeof json === "bigint") return json;
  return typeof json === "number" && Number.isInteger(json) ? BigInt(json) : undefined;
}

function goTypeOf(json: unknown): string {
  if (typeof json === "number") return Number.isInteger(json) ? "int64" : "float64";
  if (isJsonList(json)) return "[]interface {}";
  return isJsonObject(json) ? "map[string]interface {}" : typeof json === "boolean" ? "bool" : "string";
}

function textOf(json: unknown, format: string | undefined): Value {
  if (typeof json !== "string") return new CelError(`invalid data, expected string, got ${goTypeOf(json)}`);
  switch (format) {
    case "duration":
      return parseSchemaDuration(json) ?? new CelError(`Invalid duration ${json}`);
    case "date":
      return parseDate(json) ?? new CelError(`Invalid date formatted string ${json}`);
    case "date-time":
      return (
        parseTimestamp(json.replace(" ", "T")) ?? new CelError(`Invalid date-time formatted string ${json}`)
      );
    case "byte":
      return new Bytes(Buffer.from(json, "base64"));
    default:
      return json;
  }
}

function listOf(json: unknown, schema: JsonSchema): Value {
  const items = itemsOf(schema);
  if (!isJsonList(json))
    return new CelError("invalid data, expected an array for the provided schema with type=array");
  if (items === undefined) return new CelError("invalid array type, expected Items with a non-empty Schema");
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return new KeyedList(json, items, schema["x-kubernetes-list-map-keys"] ?? []);
    case "set":
      return new SetList(json, items);
    default:
      return new JsonList(json, items);
  }
}

class JsonList implements ListValue {
  readonly list = true;
  readonly raw: readonly unknown[];
  readonly items: JsonSchema;
  readonly #values: Value[] = [];

  constructor(raw: readonly unknown[], items: JsonSchema) {
    this.raw = raw;
    this.items = items;
  }

  get size(): number {
    return this.raw.length;
  }

  at(index: number): Value {
    return (this.#values[index] ??= valueOf(this.raw[index], this.items));
  }

  outside(this: void, index: bigint): string {
    return `index out of bounds: ${index}`;
  }
}

/** Items without order, each at most once. */
class SetList extends JsonList {
  readonly equals = (other: ListValue): Value => {
    if (this.size !== other.size) return false;
    const own = new Set(this.raw.map(idOf));
    for (let index = 0; index < other.size; index += 1)
      if (!own.has(idOf(jsonOf(other, index)))) return false;
    return true;
  };

  readonly add = (other: ListValue): Value => {
    const known = new Set(this.raw.map(idOf));
    const added: unknown[] = [];
    for (let index = 0; index < other.size; index += 1) {
      const json = jsonOf(other, index);
      if (known.has(idOf(json))) continue;
      known.add(idOf(json));
      added.push(json);
    }
    return new SetList([...this.raw, ...added], this.items);
  };
}

/** Items without order, told apart by some of their fields. */
class KeyedList extends JsonList {
  readonly #keys: readonly string[];

  constructor(raw: readonly unknown[], items: JsonSchema, keys: readonly string[]) {
    super(raw, items);
    this.#keys = keys;
  }

  readonly equals = (other: ListValue): Value => {
    if (this.size !== other.size) return false;
    const own = new Map(this.raw.map((json, index) => [this.#keyOf(json), index]));
    for (let index = 0; index < other.size; index += 1) {
      const at = own.get(this.#keyOf(jsonOf(other, index)));
      if (at === undefined) return false;
      const same = equal(this.at(at), other.at(index));
      if (same !== true) return same;
    }
    return true;
  };

  readonly add = (other: ListValue): Value => {
    const all = [...this.raw];
    const places = new Map(all.map((json, index) => [this.#keyOf(json), index]));
    for (let index = 0; index < other.size; index += 1) {
      const json = jsonOf(other, index);
      const place = places.get(this.#keyOf(json));
      if (place === undefined) all.push(json);
      else all[place] = json;
    }
    return new KeyedList(all, this.items, this.#keys);
  };

  #keyOf(json: unknown): string {
    if (!isJsonObject(json)) return "";
    return JSON.stringify(this.#keys.map((key) => (Object.hasOwn(json, key) ? json[key] : null)));
  }
}

function idOf(json: unknown): string {
  return typeof json === "bigint" ? String(json) : JSON.stringify(json);
}

/** An item as JSON: lists that an expression made have none, and only simple items of theirs can be in a set. */
function jsonOf(list: ListValue, index: number): unknown {
  if (list.raw !== undefined) return list.raw[index];
  const value = list.at(index);
  if (typeof value === "bigint") return Number(value);
  return typeof value === "object" && value !== null && "raw" in value ? value.raw : value;
}

/** An object, whose fields are the declared ones, or a map. */
class JsonMap implements MapValue {
  readonly map = true;
  readonly raw: JsonObject;
  readonly #schema: JsonSchema;
  readonly #values = new Map<string, Value>();

  constructor(raw: JsonObject, schema: JsonSchema) {
    this.raw = raw;
    this.#schema = schema;
  }

  get size(): number {
    return Object.keys(this.raw).length;
  }

  get #isObject(): boolean {
    return this.#schema.properties !== undefined;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== "string") return new CelError("no such overload");
    const name = this.#isObject ? unescapeName(key) : key;
    if (name === undefined || !Object.hasOwn(this.raw, name)) return undefined;
    const json = this.raw[name];
    if (this.#isObject && json === null) return undefined;
    const schema = this.#partOf(name);
    if (schema === undefined) return undefined;
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const value = valueOf(json, schema);
    this.#values.set(name, value);
    return value;
  }

  keys(): readonly Value[] {
    const names = Object.keys(this.raw).filter((name) => this.#partOf(name) !== undefined);
    return this.#isObject ? names.map((name) => escapeName(name) ?? name) : names;
  }

  readonly equals = (other: MapValue): Value => {
    if (this.size !== other.size) return false;
    for (const [name, json] of Object.entries(this.raw)) {
      if (this.#partOf(name) === undefined) {
        if (other.raw === undefined) return new CelError("no such overload");
        if (Object.hasOwn(other.raw, name) && !deepEqual(json, other.raw[name])) return false;
        continue;
      }
      // As on the server: a field is looked for by its own name, also where expressions have another for it.
      const [own, others] = [this.find(name), other.find(name)];
      if (own === undefined || others === undefined) {
        if (own !== others) return false;
        continue;
      }
      const same = equal(own, others);
      if (same !== true) return same;
    }
    return true;
  };

  #partOf(name: string): JsonSchema | undefined {
    return this.#isObject ? propertyOf(this.#schema, name) : additionalOf(this.#schema);
  }
}
