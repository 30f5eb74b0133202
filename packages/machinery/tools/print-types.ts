import type { ApiType, Field, Shape } from "./api-definition.ts";
import type { Imports } from "./imports.ts";
import { handWrittenTypes, inlineTypes, kindsWithoutSpec, nullableFields } from "./wire-facts.ts";

/** What printing a type needs to know besides the type itself. */
export interface TypeContext {
  readonly types: ReadonlyMap<string, ApiType>;
  readonly imports: Imports;
}

/** Prints the interface of a type. */
export function printInterface(type: ApiType, context: TypeContext): string {
  const fields = type.fields.map((field) => `  ${printField(type, field, context)};\n`);
  return `export interface ${type.title} {${fields.length === 0 ? "" : "\n"}${fields.join("")}}\n`;
}

/** The file in `src` that exports a type, undefined when its shape is written out wherever it is used. */
export function fileOf(type: ApiType): string | undefined {
  if (inlineTypes.has(type.name) || isList(type) || type.home === undefined) return undefined;
  return handWrittenTypes.get(type.name) ?? `kinds/${type.home}.ts`;
}

/** Whether the server keeps objects of this type, and so gives them a uid and a version. */
function isStored(type: ApiType): boolean {
  return type.resource?.verbs.includes("watch") ?? false;
}

function printField(type: ApiType, field: Field, context: TypeContext): string {
  const nullable = nullableFields.has(`${type.name}.${field.name}`);
  const text = `${fieldType(type, field, context)}${nullable ? " | null" : ""}`;
  const key = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : JSON.stringify(field.name);
  if (field.required || (isKind(type) && isAnswered(type, field.name))) return `${key}: ${text}`;
  return text === "unknown" ? `${key}?: unknown` : `${key}?: ${text} | undefined`;
}

function fieldType(type: ApiType, field: Field, context: TypeContext): string {
  if (field.name !== "metadata" || !isStored(type)) return printShape(field.shape, context);
  const meta = type.resource?.scope === "Namespaced" ? "NamespacedMeta" : "StoredMeta";
  return context.imports.add("objects/metadata.ts", meta);
}

/** Whether servers answer a field of a kind even when the definition allows to leave it out. */
function isAnswered(type: ApiType, field: string): boolean {
  switch (field) {
    case "apiVersion":
    case "kind":
    case "metadata":
      return true;
    case "spec":
      return !kindsWithoutSpec.has(type.name);
    case "status":
      // What is not stored exists only as the answer to a request, and status is what was asked for.
      return !isStored(type);
    default:
      return false;
  }
}

function printShape(shape: Shape, context: TypeContext): string {
  if (shape.is === "reference") return printReference(shape.to, context);
  if (shape.is === "map") return `Record<string, ${printShape(shape.of, context)}>`;
  if (shape.is === "list") {
    const item = printShape(shape.of, context);
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  return plainTypes[shape.is];
}

const plainTypes = {
  string: "string",
  number: "number",
  boolean: "boolean",
  object: "Record<string, unknown>",
  anything: "unknown",
} as const;

function printReference(to: string, { types, imports }: TypeContext): string {
  const inline = inlineTypes.get(to);
  if (inline !== undefined) return inline;
  const type = types.get(to);
  const file = type === undefined ? undefined : fileOf(type);
  if (type === undefined || file === undefined) throw new Error(`${to}: is referred to, but has no place`);
  const name = imports.add(file, type.title);
  // A whole object inside another is a template: the server has not stored it under a name.
  return isStored(type) ? `${imports.add("objects/metadata.ts", "Draft")}<${name}>` : name;
}

function isKind(type: ApiType): boolean {
  return type.kinds.length > 0 && type.fields.some((field) => field.name === "metadata");
}

/** Lists are `KubeList<T>` for every kind. */
function isList(type: ApiType): boolean {
  return isKind(type) && type.fields.some((field) => field.name === "items");
}
