import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { boolType, listOf, optionalOf, typeParam } from "../values/types.ts";
import {
  Bytes,
  CelError,
  Duration,
  Optional,
  PlainList,
  Uint,
  isList,
  isMap,
  isOpaque,
  type Value,
} from "../values/values.ts";
import { fn, itemsOf, list, method } from "./declare.ts";

/** Values that may be missing. `or` and `orValue` are done by the interpreter: they leave out what they need not know. */
export function optionals(): Overload[] {
  const v = typeParam("V");
  const optional = optionalOf(v);
  return [
    fn("optional.of", "optional_of", [v, optional], (value = null) => new Optional(value)),
    fn("optional.ofNonZeroValue", "optional_ofNonZeroValue", [v, optional], (value = null) =>
      isZero(value) ? Optional.none : new Optional(value),
    ),
    fn("optional.none", "optional_none", [optional], () => Optional.none),
    method("value", "optional_value", [optional, v], (value = null) => {
      if (!(value instanceof Optional)) return noSuchOverload;
      return value.value === undefined ? new CelError("optional.none() dereference") : value.value;
    }),
    method("hasValue", "optional_hasValue", [optional, boolType], (value = null) =>
      value instanceof Optional ? value.value !== undefined : noSuchOverload,
    ),
    method("or", "optional_or_optional", [optional, optional, optional]),
    method("orValue", "optional_orValue_value", [optional, v, v]),
    fn("optional.unwrap", "optional_unwrap", [listOf(optional), listOf(v)], list(unwrap)),
    method("unwrapOpt", "optional_unwrapOpt", [listOf(optional), listOf(v)], list(unwrap)),
  ];
}

function unwrap(from: Parameters<typeof itemsOf>[0]): Value {
  const values: Value[] = [];
  for (const item of itemsOf(from)) {
    if (!(item instanceof Optional)) return new CelError("value is not optional");
    if (item.value !== undefined) values.push(item.value);
  }
  return new PlainList(values);
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Bytes) return value.data.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (isList(value) || isMap(value)) return value.raw === undefined && value.size === 0;
  return isOpaque(value) && value.zero === true;
}
