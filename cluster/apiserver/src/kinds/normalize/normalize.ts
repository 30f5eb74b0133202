import {
  isJsonObject,
  parseQuantity,
  quantityMilliValue,
  quantityOf,
  quantityToString,
  type GroupVersionKind,
  type JsonObject,
} from "@kedge/machinery";
import {
  zeroValue,
  type SchemaTable,
  type TableField,
  type TableShape,
  type TableType,
} from "@kedge/machinery/schema-table";

/**
 * Sets the defaults of one type, in place. A method's type, so that functions that know the type's fields fit: the
 * table says which type it is called for.
 */
export type Defaulter = { set(value: JsonObject): void }["set"];

/** Defaulters by the full name of their type: `io.k8s.api.core.v1.Container`. */
export type TypeDefaults = ReadonlyMap<string, Defaulter>;

/**
 * Makes the function that brings objects into the form that Kubernetes' own types give them: unset and empty fields are
 * left out or written as zero, as the table says, quantities are canonical, and every type inside has its defaults.
 * Doing it twice changes nothing more.
 */
export function normalizer(table: SchemaTable, defaults: TypeDefaults): Normalize {
  const options: Options = { table, defaults, written: new Map() };
  return (object, kind) => {
    const type = table.kind(kind);
    if (type !== undefined) normalizeStruct(object, type, options);
  };
}

/** Normalizes an object of a kind, in place. */
export type Normalize = (object: JsonObject, kind: GroupVersionKind) => void;

interface Options {
  readonly table: SchemaTable;
  readonly defaults: TypeDefaults;
  /** What `writtenFields` found. */
  readonly written: Map<TableType, readonly TableField[]>;
}

function normalizeStruct(value: JsonObject, type: TableType, options: Options): void {
  // A part of a stored object, which was normalized when it was written.
  if (Object.isFrozen(value)) return;
  dropUnset(value, type);
  const written = writtenFields(type, options);
  for (const field of written) {
    if (value[field.name] !== undefined) continue;
    if (field.default !== undefined) value[field.name] = field.default;
    else if (field.unset === "zero" && field.shape.is === "reference")
      value[field.name] = zeroValue(options.table, field.shape);
  }
  // From the outside in, as the generated code of Kubernetes does: what an outer type adds gets its own defaults.
  options.defaults.get(type.name)?.(value);
  for (const key of Object.keys(value)) {
    const field = type.fields.get(key);
    // Most values are no objects, and as they should be.
    if (field === undefined || (typeof value[key] !== "object" && field.shape.is !== "reference")) continue;
    const normalized = normalizeValue(value[key], field.shape, options);
    if (normalized !== undefined) value[key] = normalized;
    dropEmpty(value, field);
  }
  for (const field of written) {
    if (value[field.name] !== undefined) continue;
    if (field.unset === "null") value[field.name] = null;
    if (field.unset === "zero") value[field.name] = zeroValue(options.table, field.shape);
  }
}

/** The fields that something is written for when they are not set: few of many. */
function writtenFields(type: TableType, { written }: Options): readonly TableField[] {
  const known = written.get(type);
  if (known !== undefined) return known;
  const found = [...type.fields.values()].filter(
    (field) => field.unset !== "nothing" || field.default !== undefined,
  );
  written.set(type, found);
  return found;
}

/** Null is unset, and so is zero unless the table says otherwise. Unknown fields do not survive. */
function dropUnset(value: JsonObject, type: TableType): void {
  for (const key of Object.keys(value)) {
    const field = type.fields.get(key);
    const known = value[key];
    const isZero = known === "" || known === 0 || known === false;
    if (field === undefined || known === null || known === undefined) delete value[key];
    else if (
      isZero &&
      !field.zeroCounts &&
      field.shape.is !== "reference" &&
      field.shape.is !== "int-or-string"
    )
      delete value[key];
  }
}

function normalizeValue(value: unknown, shape: TableShape, options: Options): unknown {
  if (value === undefined || value === null || (typeof value === "object" && Object.isFrozen(value)))
    return value;
  if (shape.is === "list") {
    if (!Array.isArray(value)) return value;
    for (const [i, item] of value.entries()) value[i] = normalizeItem(item, shape.of, options);
    return value;
  }
  if (shape.is === "map") {
    if (!isJsonObject(value)) return value;
    const ofMilli = shape.of.is === "reference" && shape.of.to === quantityType;
    for (const [key, item] of Object.entries(value))
      value[key] = ofMilli ? canonical(item ?? "0", "milli") : normalizeItem(item, shape.of, options);
    return value;
  }
  if (shape.is !== "reference") return value;
  if (shape.to === quantityType) return canonical(value, "exact");
  const type = options.table.type(shape.to);
  if (type !== undefined && type.fields.size > 0 && isJsonObject(value))
    normalizeStruct(value, type, options);
  return value;
}

/** Null in a list or map is the zero value there. */
function normalizeItem(item: unknown, shape: TableShape, options: Options): unknown {
  // No bytes come out of the store as an empty text.
  const zero = (): unknown => (shape.is === "bytes" ? "" : zeroValue(options.table, shape));
  return normalizeValue(item ?? zero(), shape, options) ?? null;
}

function dropEmpty(value: JsonObject, { name, shape, unset }: TableField): void {
  const known = value[name];
  const isEmptyList = shape.is === "list" && Array.isArray(known) && known.length === 0;
  const isEmptyMap = shape.is === "map" && isJsonObject(known) && Object.keys(known).length === 0;
  if (!isEmptyList && !isEmptyMap) return;
  if (unset === "nothing") delete value[name];
  // An empty list does not survive the store: where unset is null, so is empty.
  else if (unset === "null" && isEmptyList) value[name] = null;
}

const quantityType = "io.k8s.apimachinery.pkg.api.resource.Quantity";

/** Amounts of resources are rounded up to thousandths; others keep what they have. */
function canonical(value: unknown, precision: "milli" | "exact"): unknown {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return value;
  const quantity = parseQuantity(value);
  if (precision === "exact" || quantity.scale >= -3) return quantityToString(quantity);
  return quantityToString(quantityOf(quantityMilliValue(quantity), { scale: -3, format: quantity.format }));
}
