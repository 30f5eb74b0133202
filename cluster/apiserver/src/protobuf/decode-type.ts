import {
  zeroValue,
  type SchemaTable,
  type TableField,
  type TableShape,
  type TableType,
} from "@kedge/machinery/schema-table";
import { specialTypes } from "./special-types.ts";
import { ProtobufError, readMessage, readPacked, type WireValue } from "./wire-reader.ts";
import { base64Of, bytesOf, doubleOf, exactIntegerOf, integerOf, stringOf } from "./wire-scalars.ts";

/**
 * Decodes a message of a built-in type to what Go's JSON encoder would write for it: what is unset is left out, or
 * null, or the zero value, as the type's fields say. Protobuf itself cannot tell zero from unset for plain scalars,
 * which are always on the wire; a scalar held by pointer is there only when set.
 */
function decodeType(table: SchemaTable, name: string, bytes: Uint8Array): unknown {
  const special = specialTypes.get(name);
  if (special !== undefined) {
    return special(bytes, (type, message) => decodeType(table, type, message));
  }
  const type = table.type(name);
  if (type === undefined) throw new ProtobufError(`${name} is not a type of Kubernetes v1.36`);
  return decodeStruct(table, type, bytes);
}

/** Decodes a message with fields. */
export function decodeStruct(
  table: SchemaTable,
  type: TableType,
  bytes: Uint8Array,
): Record<string, unknown> {
  const message = readMessage(bytes);
  const result: Record<string, unknown> = {};
  for (const field of type.fields.values()) {
    if (field.protobuf === undefined) continue;
    const value = decodeField(table, field, valuesAt(message, field.protobuf.path));
    if (value !== undefined) result[field.name] = value;
  }
  return result;
}

/** The values at the end of a way through messages that JSON inlines. */
function valuesAt(
  message: ReadonlyMap<number, readonly WireValue[]>,
  path: readonly number[],
): readonly WireValue[] {
  const [number = 0, ...rest] = path;
  const values = message.get(number) ?? [];
  if (rest.length === 0) return values;
  const inner = values.at(-1);
  return inner === undefined ? [] : valuesAt(readMessage(bytesOf(inner)), rest);
}

function decodeField(table: SchemaTable, field: TableField, values: readonly WireValue[]): unknown {
  const value = values.length === 0 ? undefined : decodeValues(table, field, values);
  if (value === undefined) return unsetValue(table, field);
  const omitted = field.unset === "nothing" && !field.zeroCounts && isEmpty(field.shape, value);
  return omitted ? undefined : value;
}

/** What `omitempty` leaves out: plain zeros. Structs, `IntOrString` too, are never empty to it; a zero time is null. */
function isEmpty(shape: TableShape, value: unknown): boolean {
  if (shape.is === "reference") return value === null;
  return value === "" || value === 0 || value === false || value === null;
}

function unsetValue(table: SchemaTable, { unset, shape }: TableField): unknown {
  switch (unset) {
    case "nothing":
      return undefined;
    case "null":
      return null;
    case "zero":
      return shape.is === "reference"
        ? decodeType(table, shape.to, new Uint8Array())
        : zeroValue(table, shape);
  }
}

function decodeValues(table: SchemaTable, field: TableField, values: readonly WireValue[]): unknown {
  const { shape, protobuf } = field;
  if (shape.is === "list") {
    const items = protobuf?.wrapped === true ? unwrap(values.at(-1)) : values;
    return items.flatMap((item) => decodeItems(table, shape.of, item));
  }
  if (shape.is === "map") {
    const wrapped = protobuf?.wrapped === true;
    return Object.fromEntries(values.map((entry) => decodeEntry(table, shape.of, { entry, wrapped })));
  }
  const last = values.at(-1);
  return last === undefined ? undefined : decodeValue(table, shape, last);
}

function unwrap(value: WireValue | undefined): readonly WireValue[] {
  return readMessage(bytesOf(value)).get(1) ?? [];
}

/** One item, or several where numbers are packed. */
function decodeItems(table: SchemaTable, shape: TableShape, item: WireValue): readonly unknown[] {
  const isNumber = shape.is === "int32" || shape.is === "int64" || shape.is === "boolean";
  const items = isNumber && item.type === "bytes" ? readPacked(item.value) : [item];
  return items.map((each) => decodeValue(table, shape, each));
}

function decodeEntry(
  table: SchemaTable,
  shape: TableShape,
  { entry, wrapped }: { readonly entry: WireValue; readonly wrapped: boolean },
): readonly [string, unknown] {
  const fields = readMessage(bytesOf(entry));
  const key = stringOf(fields.get(1)?.at(-1));
  const value: WireValue = fields.get(2)?.at(-1) ?? { type: "bytes", value: new Uint8Array() };
  if (shape.is !== "list") return [key, decodeValue(table, shape, value)];
  const items = wrapped ? unwrap(value) : [value];
  return [key, items.flatMap((item) => decodeItems(table, shape.of, item))];
}

function decodeValue(table: SchemaTable, shape: TableShape, value: WireValue): unknown {
  switch (shape.is) {
    case "string":
      return stringOf(value);
    case "bytes":
      return base64Of(bytesOf(value));
    case "int32":
    case "int64":
      return exactIntegerOf(value);
    case "double":
      return doubleOf(value);
    case "boolean":
      return integerOf(value) !== 0;
    case "reference":
      return decodeType(table, shape.to, bytesOf(value));
    default:
      throw new ProtobufError(`a value of the shape ${shape.is} does not travel in protobuf`);
  }
}
