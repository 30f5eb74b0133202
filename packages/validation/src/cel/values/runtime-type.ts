import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  errorType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  stringType,
  timestampType,
  typeType,
  uintType,
  type CelType,
} from "./types.ts";
import {
  Bytes,
  Duration,
  Optional,
  Preserved,
  StructValue,
  Timestamp,
  TypeValue,
  Uint,
  isError,
  isList,
  isMap,
  type Value,
} from "./values.ts";

const anyList = listOf(dynType);
const anyMap = mapOf(dynType, dynType);
const anyOptional = optionalOf(dynType);
const unknownType: CelType = { kind: "opaque", name: "unknown", params: [] };

/** The type of a value, as `type()` and messages know it: what is inside of lists and maps does not count. */
export function runtimeType(value: Value): CelType {
  switch (typeof value) {
    case "string":
      return stringType;
    case "boolean":
      return boolType;
    case "bigint":
      return intType;
    case "number":
      return doubleType;
    default:
      return value === null ? nullType : typeOfObject(value);
  }
}

function typeOfObject(value: Exclude<Value, null | string | boolean | bigint | number>): CelType {
  if (isError(value)) return errorType;
  if (isList(value)) return anyList;
  if (isMap(value)) return value instanceof StructValue ? value.type : anyMap;
  if (value instanceof Uint) return uintType;
  if (value instanceof Bytes) return bytesType;
  if (value instanceof Duration) return durationType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Optional) return anyOptional;
  if (value instanceof TypeValue) return typeType;
  if (value instanceof Preserved) return unknownType;
  return value.opaque;
}

/** Whether a function that takes this type takes the value. Of a list the first item is looked at. */
export function isOfType(value: Value, type: CelType): boolean {
  if (type.kind === "dyn" || type.kind === "param") return true;
  const actual = runtimeType(value);
  if (actual.name !== type.name) return false;
  if (type.kind === "list" && isList(value)) {
    return value.size === 0 || isOfType(value.at(0), type.params[0] ?? dynType);
  }
  return true;
}
