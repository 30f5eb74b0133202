import {
  goQuote,
  isJsonInteger,
  isJsonList,
  isJsonObject,
  parseTime,
  type JsonObject,
} from "@kedge/machinery";

/** A Go type as far as decoding JSON into it goes. */
export type GoType =
  | { readonly kind: "bool" | "int64" | "raw" | "string" | "time"; readonly name: string }
  | { readonly kind: "map"; readonly name: string; readonly values: GoType }
  | { readonly kind: "list"; readonly name: string; readonly items: GoType }
  | { readonly kind: "struct"; readonly name: string; readonly fields: ReadonlyMap<string, GoType> };

/** Where decoding is, and the unknown fields that it dropped on its way. */
export interface Place {
  readonly unknown: string[];
  /** `ownerReferences[0].name`. */
  readonly path: string;
  /** `OwnerReference.ownerReferences.name`, as Go's messages have it; empty at the root. */
  readonly field: string;
}

/** Decodes in place: unknown fields and nulls of structs go. Gives Go's message when a value does not fit its type. */
export function decodeGo(value: unknown, type: GoType, place: Place): string | undefined {
  if (value === null) return undefined;
  switch (type.kind) {
    case "raw":
      return undefined;
    case "bool":
      return typeof value === "boolean" ? undefined : mismatch(value, type, place);
    case "string":
      return typeof value === "string" ? undefined : mismatch(value, type, place);
    case "int64":
      return isJsonInteger(value) ? undefined : mismatch(value, type, place);
    case "time":
      return decodeTime(value, type, place);
    case "map":
      return isJsonObject(value) ? decodeMap(value, type.values, place) : mismatch(value, type, place);
    case "list":
      return isJsonList(value) ? decodeList(value, type.items, place) : mismatch(value, type, place);
    case "struct":
      return isJsonObject(value) ? decodeStruct(value, type, place) : mismatch(value, type, place);
  }
}

function decodeTime(value: unknown, type: GoType, place: Place): string | undefined {
  if (typeof value !== "string") return mismatch(value, { ...type, name: "string" }, place);
  try {
    parseTime(value);
    return undefined;
  } catch {
    const text = goQuote(value);
    return `parsing time ${text} as "2006-01-02T15:04:05Z07:00": cannot parse ${text} as "2006"`;
  }
}

function decodeMap(object: JsonObject, type: GoType, place: Place): string | undefined {
  return firstOf(Object.entries(object), ([key, part]) =>
    decodeGo(part, type, { ...place, path: `${place.path}.${key}` }),
  );
}

function decodeList(list: readonly unknown[], type: GoType, place: Place): string | undefined {
  return firstOf([...list.entries()], ([index, part]) =>
    decodeGo(part, type, { ...place, path: `${place.path}[${index}]` }),
  );
}

function decodeStruct(
  object: JsonObject,
  type: GoType & { readonly kind: "struct" },
  place: Place,
): string | undefined {
  const above = place.field.split(".").slice(1);
  return firstOf(Object.keys(object), (key) => {
    const part = type.fields.get(key);
    const path = place.path === "" ? key : `${place.path}.${key}`;
    if (part === undefined) place.unknown.push(path);
    if (part === undefined || object[key] === null) {
      delete object[key];
      return undefined;
    }
    return decodeGo(object[key], part, { ...place, path, field: [type.name, ...above, key].join(".") });
  });
}

function firstOf<T>(items: readonly T[], decode: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const error = decode(item);
    if (error !== undefined) return error;
  }
  return undefined;
}

function mismatch(value: unknown, type: GoType, { field }: Place): string {
  const target =
    field === "" ? `Go value of type v1.${type.name}` : `Go struct field ${field} of type ${type.name}`;
  return `json: cannot unmarshal ${jsonKind(value, type)} into ${target}`;
}

function jsonKind(value: unknown, type: GoType): string {
  if (typeof value === "number" || typeof value === "bigint")
    return type.kind === "int64" ? `number ${value}` : "number";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return isJsonList(value) ? "array" : "object";
}
