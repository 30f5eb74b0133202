import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { runtimeType } from "../values/runtime-type.ts";
import {
  checkedTimestamp,
  durationText,
  parseDuration,
  parseTimestamp,
  timestampText,
  unixSeconds,
} from "../values/time.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  typeOfType,
  typeParam,
  uintType,
  type CelType,
} from "../values/types.ts";
import { Bytes, CelError, Duration, Timestamp, TypeValue, Uint, type Value } from "../values/values.ts";
import { fn } from "./declare.ts";

/** `int()`, `string()` and their like. */
export function conversions(): Overload[] {
  const paramA = typeParam("A");
  return [
    fn("type", "type", [paramA, typeOfType(paramA)], (value = null) => new TypeValue(runtimeType(value))),
    fn("dyn", "to_dyn", [paramA, dynType], (value = null) => value),
    ...to(boolType, "bool", [boolType, stringType], toBool),
    ...to(bytesType, "bytes", [bytesType, stringType], toBytes),
    ...to(doubleType, "double", [doubleType, intType, stringType, uintType], toDouble),
    ...to(durationType, "duration", [durationType, intType, stringType], toDuration),
    ...to(intType, "int", [intType, doubleType, durationType, stringType, timestampType, uintType], toInt),
    ...to(
      stringType,
      "string",
      [stringType, boolType, bytesType, doubleType, durationType, intType, timestampType, uintType],
      toText,
    ),
    ...to(timestampType, "timestamp", [timestampType, intType, stringType], toTimestamp),
    ...to(uintType, "uint", [uintType, doubleType, intType, stringType], toUint),
  ];
}

/** `string_to_bytes` and `bytes_to_string` cost more than others, by their name. */
function to(type: CelType, name: string, from: readonly CelType[], run: (value: Value) => Value): Overload[] {
  return from.map((source) =>
    fn(name, `${sourceName(source)}_to_${sourceName(type)}`, [source, type], (value = null) => run(value)),
  );
}

function sourceName({ kind }: CelType): string {
  if (kind === "int") return "int64";
  return kind === "uint" ? "uint64" : kind;
}

function cannot(value: Value, type: CelType): CelError {
  return new CelError(`type conversion error from '${runtimeType(value).name}' to '${type.name}'`);
}

function toBool(value: Value): Value {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return noSuchOverload;
  if (["1", "t", "T", "true", "TRUE", "True"].includes(value)) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(value) ? false : cannot(value, boolType);
}

function toBytes(value: Value): Value {
  return typeof value === "string" ? new Bytes(Buffer.from(value)) : value;
}

function toDouble(value: Value): Value {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  return typeof value === "string" ? (parseDouble(value) ?? cannot(value, doubleType)) : value;
}

/** As Go's ParseFloat, without its hexadecimal forms. */
export function parseDouble(text: string): number | undefined {
  const infinite = /^(?<sign>[+-]?)inf(?:inity)?$/iu.exec(text);
  if (infinite !== null) return infinite.groups?.["sign"] === "-" ? -Infinity : Infinity;
  if (/^[+-]?nan$/iu.test(text)) return Number.NaN;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function toDuration(value: Value): Value {
  if (value instanceof Duration) return value;
  return (typeof value === "string" ? parseDuration(value) : undefined) ?? cannot(value, durationType);
}

function toInt(value: Value): Value {
  if (typeof value === "number") {
    const fits = Number.isFinite(value) && value > -(2 ** 63) && value < 2 ** 63;
    return fits ? BigInt(Math.trunc(value)) : new CelError("integer overflow");
  }
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp) return unixSeconds(value);
  if (value instanceof Uint) return value.value > maxInt ? new CelError("integer overflow") : value.value;
  if (typeof value !== "string") return value;
  const parsed = /^[+-]?\d+$/u.test(value) ? BigInt(value.replace(/^\+/u, "")) : undefined;
  return parsed === undefined || parsed > maxInt || parsed < -maxInt - 1n ? cannot(value, intType) : parsed;
}

const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

function toUint(value: Value): Value {
  if (value instanceof Uint) return value;
  const overflow = new CelError("unsigned integer overflow");
  if (typeof value === "bigint") return value < 0n ? overflow : new Uint(value);
  if (typeof value === "number") {
    return Number.isFinite(value) && value >= 0 && value < 2 ** 64
      ? new Uint(BigInt(Math.trunc(value)))
      : overflow;
  }
  const parsed = typeof value === "string" && /^\d+$/u.test(value) ? BigInt(value) : undefined;
  return parsed === undefined || parsed > maxUint ? cannot(value, uintType) : new Uint(parsed);
}

function toTimestamp(value: Value): Value {
  if (typeof value === "bigint") return checkedTimestamp(value * 1_000_000_000n);
  if (typeof value === "string") return parseTimestamp(value) ?? cannot(value, timestampType);
  return value;
}

/** `string(value)`. */
export function toText(value: Value): Value {
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return doubleText(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof TypeValue) return value.type.name;
  if (!(value instanceof Bytes)) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value.data);
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

/** As Go's `%g`: numbers below 1e-4 and from 1e6 have an exponent, of two digits. */
export function doubleText(value: number): string {
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  if (Object.is(value, -0)) return "-0";
  const magnitude = Math.abs(value);
  const exponential = magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e6);
  if (!exponential) return String(value);
  return value.toExponential().replace(/e(?<sign>[+-])(?<digit>\d)$/u, "e$<sign>0$<digit>");
}
