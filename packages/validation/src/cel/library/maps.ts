import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { mapOf, typeParam } from "../values/types.ts";
import { CelError, PlainMap, isMap, keyOf, type MapValue, type Value } from "../values/values.ts";
import { fn } from "./declare.ts";

/** What `transformMap` and `transformMapEntry` add entries with. */
export function maps(): Overload[] {
  const [k, v] = [typeParam("K"), typeParam("V")];
  const map = mapOf(k, v);
  return [
    fn(
      "cel.@mapInsert",
      "@mapInsert_map_key_value",
      [map, k, v, map],
      (into = null, key = null, value = null) =>
        isMap(into) ? inserted(into, [[key, value]]) : noSuchOverload,
    ),
    fn("cel.@mapInsert", "@mapInsert_map_map", [map, map, map], (into = null, from = null) =>
      isMap(into) && isMap(from)
        ? inserted(
            into,
            from.keys().map((key) => [key, from.find(key) ?? null]),
          )
        : noSuchOverload,
    ),
  ];
}

/** Only folds add entries, to a map that nobody else has: it is changed in place. */
function inserted(into: MapValue, entries: readonly (readonly [Value, Value])[]): Value {
  const map = into instanceof GrowingMap ? into : new GrowingMap();
  for (const [key, value] of entries) {
    const wrong = map.insert(key, value);
    if (wrong !== undefined) return wrong;
  }
  return map;
}

class GrowingMap extends PlainMap {
  readonly #entries: Map<string, readonly [Value, Value]>;

  constructor() {
    const entries = new Map<string, readonly [Value, Value]>();
    super(entries);
    this.#entries = entries;
  }

  insert(key: Value, value: Value): CelError | undefined {
    const id = keyOf(key);
    if (id === undefined) return noSuchOverload;
    if (this.#entries.has(id)) return new CelError(`insert failed: key ${id.slice(1)} already exists`);
    this.#entries.set(id, [key, value]);
    return undefined;
  }
}
