/** What a type is, as far as the checker tells types apart. */
export type Kind =
  | "dyn"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "duration"
  | "timestamp"
  | "list"
  | "map"
  | "struct"
  | "opaque"
  | "type"
  | "param"
  | "error";

/** A type of CEL. Structs are told apart by their name; the fields of one are known to the environment. */
export interface CelType {
  readonly kind: Kind;
  readonly name: string;
  readonly params: readonly CelType[];
}

const simple = (kind: Kind, name: string = kind): CelType => ({ kind, name, params: [] });

export const dynType: CelType = simple("dyn");
export const nullType: CelType = simple("null", "null_type");
export const boolType: CelType = simple("bool");
export const intType: CelType = simple("int");
export const uintType: CelType = simple("uint");
export const doubleType: CelType = simple("double");
export const stringType: CelType = simple("string");
export const bytesType: CelType = simple("bytes");
export const durationType: CelType = simple("duration", "google.protobuf.Duration");
export const timestampType: CelType = simple("timestamp", "google.protobuf.Timestamp");
export const errorType: CelType = simple("error");
export const typeType: CelType = simple("type");

export function listOf(element: CelType): CelType {
  return { kind: "list", name: "list", params: [element] };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", params: [key, value] };
}

export function optionalOf(value: CelType): CelType {
  return { kind: "opaque", name: "optional_type", params: [value] };
}

export function opaqueType(name: string, ...params: readonly CelType[]): CelType {
  return { kind: "opaque", name, params };
}

export function structType(name: string): CelType {
  return simple("struct", name);
}

export function typeOfType(of: CelType): CelType {
  return { kind: "type", name: "type", params: [of] };
}

export function typeParam(name: string): CelType {
  return simple("param", name);
}

/** What an optional holds; undefined when the type is not optional. */
export function insideOptional(type: CelType): CelType | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.params[0] : undefined;
}

/** Whether two types are the same to the last parameter. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => sameType(param, b.params[index] ?? errorType));
}

/** A type as messages spell it. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "duration":
    case "timestamp":
    case "null":
      return type.kind;
    case "error":
      return "!error!";
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(", ")})`;
  }
}
