import { noSuchOverload } from "../values/equality.ts";
import { CelError, Optional, Uint, isError, isList, isMap, keyOf, type Value } from "../values/values.ts";
import { runtimeType } from "../values/runtime-type.ts";

/** `value.field` and `value[key]`. */
export function access(value: Value, key: Value): Value {
  if (isError(value)) return value;
  if (isError(key)) return key;
  if (value instanceof Optional)
    return value.value === undefined ? value : accessOptionally(value.value, key);
  if (isMap(value)) return value.find(key) ?? new CelError(`no such key: ${keyText(key)}`);
  if (!isList(value)) return noSuchOverload;
  const index = indexOf(key);
  if (index === undefined) return new CelError("unsupported index type");
  return index >= 0n && index < value.size ? value.at(Number(index)) : new CelError(value.outside(index));
}

/** `value.?field` and `value[?key]`: what is not there has no value. */
export function accessOptionally(value: Value, key: Value): Value {
  if (isError(value)) return value;
  if (isError(key)) return key;
  if (value instanceof Optional)
    return value.value === undefined ? value : accessOptionally(value.value, key);
  if (isMap(value)) {
    const found = value.find(key);
    if (found === undefined) return Optional.none;
    return isError(found) ? found : new Optional(found);
  }
  if (!isList(value)) return Optional.none;
  const index = indexOf(key);
  if (index === undefined || index < 0n || index >= value.size) return Optional.none;
  return new Optional(value.at(Number(index)));
}

/** `has(value.field)`. */
export function isPresent(value: Value, field: string): Value {
  if (isError(value)) return value;
  if (value instanceof Optional) return value.value === undefined ? false : isPresent(value.value, field);
  return isMap(value) && value.find(field) !== undefined;
}

/** A whole number, whatever its type. */
function indexOf(key: Value): bigint | undefined {
  if (typeof key === "bigint") return key;
  if (key instanceof Uint) return key.value;
  return typeof key === "number" && Number.isInteger(key) ? BigInt(key) : undefined;
}

/** Keys of maps begin with their kind. */
function keyText(key: Value): string {
  return keyOf(key)?.slice(1) ?? runtimeType(key).name;
}
