import { isJsonList, isJsonObject, parseQuantity, type JsonObject } from "@kedge/machinery";
import type { SchemaTable, TableShape, TableType } from "@kedge/machinery/schema-table";
import { DecodeError } from "./decode-error.ts";
import { checkBase64, checkMicroTime, checkNumber, checkTime } from "./scalars.ts";
import { pathOf, typeMismatch, type GoPlace } from "./go-place.ts";
import { writtenText } from "./written-number.ts";

/**
 * Holds a value against a built-in type: fields that the type does not have are removed, in place, and returned as
 * paths (`spec.bogus`). Throws a `DecodeError` in Go's words at the first value of a wrong type.
 */
export function checkTyped(table: SchemaTable, type: TableType, value: JsonObject, path = ""): string[] {
  const check: Check = { table, unknown: [], fault: undefined };
  const root = { parent: undefined, struct: type.title, step: path, isField: false };
  checkStruct(check, type, value, root);
  if (check.fault !== undefined) throw check.fault;
  return check.unknown;
}

interface Check {
  readonly table: SchemaTable;
  readonly unknown: string[];
  /** The first value of a wrong type. Go goes on after it, and forgets it for a time or quantity that it cannot read. */
  fault: DecodeError | undefined;
}

/** What is frozen is a part of a stored object, which was checked when it was written. */
function checkStruct(check: Check, type: TableType, value: JsonObject, parent: GoPlace): void {
  if (Object.isFrozen(value)) return;
  const struct = type.title;
  for (const step of Object.keys(value)) {
    const field = type.fields.get(step);
    const place = { parent, struct, step, isField: true };
    if (field === undefined) {
      check.unknown.push(pathOf(place));
      delete value[step];
    } else {
      checkValue(check, field.shape, value[step], place);
      if (field.shape.is === "double" && typeof value[step] === "bigint") value[step] = Number(value[step]);
      if (typeof value[step] === "symbol") value[step] = asWritten(field.shape, value[step]);
    }
  }
}

function checkValue(check: Check, shape: TableShape, value: unknown, place: GoPlace): void {
  if (value === null || value === undefined) return;
  switch (shape.is) {
    case "list":
      if (!isJsonList(value)) return mismatch(check, value, shape, place);
      for (const [step, item] of value.entries()) {
        checkValue(check, shape.of, item, itemAt(place, step));
        if (typeof item === "symbol") value[step] = asWritten(shape.of, item);
      }
      return;
    case "map":
      if (!isJsonObject(value)) return mismatch(check, value, shape, place);
      for (const step of Object.keys(value)) {
        checkValue(check, shape.of, value[step], itemAt(place, step));
        if (typeof value[step] === "symbol") value[step] = asWritten(shape.of, value[step]);
      }
      return;
    case "reference":
      return checkReference(check, shape, value, place);
    case "string":
      if (typeof value !== "string") mismatch(check, value, shape, place);
      return;
    case "bytes":
      if (typeof value !== "string") return mismatch(check, value, shape, place);
      return kept(check, () => checkBase64(value));
    case "date-time":
      if (typeof value !== "string") throw typeMismatch(value, shape, place);
      return checkTime(value);
    case "int32":
    case "int64":
    case "double":
      return kept(check, () => checkNumber(value, shape, place));
    case "boolean":
      if (typeof value !== "boolean") mismatch(check, value, shape, place);
      return;
    case "object":
      if (!isJsonObject(value)) mismatch(check, value, shape, place);
      return;
    case "int-or-string":
      if (typeof value !== "string") checkNumber(value, { is: "int32" }, place);
      return;
    case "anything":
      return;
  }
}

function mismatch(check: Check, value: unknown, shape: TableShape, place: GoPlace): void {
  check.fault ??= typeMismatch(value, shape, place);
}

function kept(check: Check, look: () => void): void {
  try {
    look();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    check.fault ??= error;
  }
}

function itemAt(parent: GoPlace, step: string | number): GoPlace {
  return { parent, struct: parent.struct, step, isField: false };
}

function checkReference(
  check: Check,
  shape: TableShape & { is: "reference" },
  value: unknown,
  place: GoPlace,
): void {
  const type = check.table.type(shape.to);
  if (type === undefined || type.title === "RawExtension" || type.title === "FieldsV1") return;
  if (type.title === "Quantity") return checkQuantity(value);
  if (type.title === "MicroTime" && typeof value === "string") return checkMicroTime(value);
  if (type.shape !== undefined) return checkValue(check, type.shape, value, place);
  if (type.fields.size === 0) return;
  if (!isJsonObject(value)) return mismatch(check, value, shape, place);
  checkStruct(check, type, value, place);
}

/** A number of a quantity stays as it is written, for its form counts. */
function asWritten(shape: TableShape, value: unknown): unknown {
  const isQuantity = shape.is === "reference" && shape.to.endsWith(".Quantity");
  return typeof value === "symbol" && isQuantity ? writtenText(value) : value;
}

function checkQuantity(value: unknown): void {
  if (typeof value === "symbol") parseQuantity(writtenText(value));
  else if (typeof value === "string" || typeof value === "number" || typeof value === "bigint")
    parseQuantity(value);
  else parseQuantity("");
}
