import type { GoField } from "./go-structs.ts";
import { list, members, object, text, type JsonObject } from "./json-value.ts";
import type { ProtoField } from "./proto-messages.ts";

/** What the table says of one field. */
export interface FieldFacts {
  readonly name: string;
  readonly shape: FactShape;
  readonly required: boolean;
  /** What Go's encoder writes for an unset field: nothing, `null`, or the type's zero value. */
  readonly unset: "nothing" | "null" | "zero";
  /** Whether Go holds a scalar by pointer, so that zero is something else than unset. */
  readonly pointer: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
  /** The way to the field in protobuf, which nests what JSON inlines; undefined where it does not travel in protobuf. */
  readonly protobuf: readonly number[] | undefined;
  /** Whether protobuf puts a list into a message of its own, as field 1. */
  readonly wrapped: boolean;
  /** The default in OpenAPI v3, unless it is the zero value. */
  readonly defaultValue: unknown;
}

/** Base shapes are named after their type and format; a reference names a type in full. */
export type FactShape =
  | { readonly is: "base"; readonly name: string }
  | { readonly is: "reference"; readonly to: string }
  | { readonly is: "list" | "map"; readonly of: FactShape };

/** What the table says of one type. */
export interface TypeFacts {
  readonly name: string;
  readonly kinds: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
  /** Set for a type that has no fields of its own. */
  readonly shape: FactShape | undefined;
  readonly mapType: string | undefined;
  readonly fields: readonly FieldFacts[];
}

/** Where the facts come from. */
export interface FactSources {
  /** OpenAPI v2. */
  readonly swagger: unknown;
  /** Defaults of OpenAPI v3 by `type.field`. */
  readonly defaults: ReadonlyMap<string, unknown>;
  readonly messages: ReadonlyMap<string, readonly ProtoField[]>;
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
}

/** Brings all sources together, types and fields in the order of their names. */
export function readTypeFacts(sources: FactSources): readonly TypeFacts[] {
  const definitions = members(object(sources.swagger, "swagger")["definitions"], "definitions");
  return definitions.map(([name, value]) => readType(name, object(value, name), sources));
}

function readType(name: string, schema: JsonObject, sources: FactSources): TypeFacts {
  const required = new Set(list(schema["required"], `${name}.required`, text));
  const properties = members(schema["properties"], name);
  const jsonNames = new Set(properties.map(([field]) => plain(field)));
  const routes = protobufRoutes(name, jsonNames, sources.messages);
  return {
    name,
    kinds: list(schema["x-kubernetes-group-version-kind"], name, (item, where) => {
      const { group, version, kind } = object(item, where);
      return { group: text(group, where), version: text(version, where), kind: text(kind, where) };
    }),
    shape:
      schema["properties"] === undefined && schema["type"] !== "object" ? readShape(schema, name) : undefined,
    mapType: optionalText(schema["x-kubernetes-map-type"], name),
    fields: properties.map(([field, value]): FieldFacts => {
      const where = `${name}.${field}`;
      const property = object(value, where);
      const shape = readShape(property, where);
      const route = routes.get(plain(field));
      const defaultValue = sources.defaults.get(where);
      const go = goField(name, field, sources.structs);
      return {
        name: field,
        shape,
        required: required.has(field),
        unset: whenUnset(go, shape),
        pointer: go?.pointer === true && shape.is === "base",
        listType: optionalText(property["x-kubernetes-list-type"], where),
        listMapKeys: list(property["x-kubernetes-list-map-keys"], where, text),
        mapType: optionalText(property["x-kubernetes-map-type"], where),
        patchStrategy: optionalText(property["x-kubernetes-patch-strategy"], where),
        patchMergeKey: optionalText(property["x-kubernetes-patch-merge-key"], where),
        protobuf: route?.numbers,
        wrapped: route !== undefined && holdsList(shape) && isWrapper(sources.messages.get(route.type)),
        defaultValue: isZero(defaultValue) ? undefined : defaultValue,
      };
    }),
  };
}

interface Route {
  readonly numbers: readonly number[];
  readonly type: string;
}

/**
 * The ways to the fields by their plain names. A message field that has no namesake in JSON is an embedded
 * struct: JSON has its fields in its place.
 */
function protobufRoutes(
  name: string,
  jsonNames: ReadonlySet<string>,
  messages: FactSources["messages"],
): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  if (jsonNames.size === 0) return routes;
  for (const { name: field, number, type } of messages.get(name) ?? []) {
    if (jsonNames.has(plain(field))) {
      routes.set(plain(field), { numbers: [number], type });
      continue;
    }
    for (const [inner, route] of protobufRoutes(type, jsonNames, messages)) {
      routes.set(inner, { ...route, numbers: [number, ...route.numbers] });
    }
  }
  return routes;
}

/** What is the same of a field's names in JSON and in protobuf: `x-kubernetes-list-type` is `xKubernetesListType`. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
}

function isWrapper(message: readonly ProtoField[] | undefined): boolean {
  return message?.length === 1 && message[0]?.name === "items" && message[0].number === 1;
}

function holdsList(shape: FactShape): boolean {
  return shape.is === "list" || (shape.is === "map" && shape.of.is === "list");
}

function whenUnset(field: GoField | undefined, shape: FactShape): FieldFacts["unset"] {
  if (field === undefined) return "nothing";
  const nullable = field.pointer || shape.is === "list" || shape.is === "map" || field.type.startsWith("[]");
  // Go's encoder never leaves out a plain struct for being empty; references to anything else are pointers.
  if (field.omitZero || (field.omitEmpty && (nullable || shape.is !== "reference"))) return "nothing";
  return nullable ? "null" : "zero";
}

function goField(type: string, field: string, structs: FactSources["structs"]): GoField | undefined {
  const fields = structs.get(type) ?? [];
  const own = fields.find(({ name }) => name === field);
  if (own !== undefined) return own;
  const home = type.slice(0, type.lastIndexOf(".") + 1);
  for (const { name, type: embedded } of fields) {
    if (name !== "" || embedded.includes(".")) continue;
    const inner = goField(home + embedded, field, structs);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function readShape(schema: JsonObject, where: string): FactShape {
  if (schema["$ref"] !== undefined) {
    return { is: "reference", to: text(schema["$ref"], where).replace("#/definitions/", "") };
  }
  if (schema["type"] === "array")
    return { is: "list", of: readShape(object(schema["items"], where), `${where}[]`) };
  const values = schema["additionalProperties"];
  if (schema["type"] === "object" && values !== undefined) {
    return { is: "map", of: readShape(object(values, where), `${where}{}`) };
  }
  const format = optionalText(schema["format"], where);
  const type = schema["type"] === undefined ? "anything" : text(schema["type"], where);
  return { is: "base", name: format === undefined ? type : `${type}/${format}` };
}

function optionalText(value: unknown, where: string): string | undefined {
  return value === undefined ? undefined : text(value, where);
}

function isZero(value: unknown): boolean {
  return value === undefined || ['""', "0", "false", "{}"].includes(JSON.stringify(value));
}
