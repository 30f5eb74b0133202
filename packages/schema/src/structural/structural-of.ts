import * as z from "zod";
import type { JSONSchemaProps } from "@kedge/machinery/kinds/apiextensions/v1";
import { checksOf } from "./checks.ts";
import { inOrder } from "./in-order.ts";
import { literalsOf } from "./literals.ts";
import { SchemaError } from "./schema-error.ts";
import { unwrap } from "./unwrap.ts";

/**
 * The structural schema that says the same as a zod schema. What has no equal in a CRD is a `SchemaError` with the field
 * in it. The order of keys is always the same; fields stay in the order of their definition.
 */
export function structuralOf(schema: z.core.$ZodType, path: string): JSONSchemaProps {
  return convert(schema, path, []).schema;
}

interface Converted {
  readonly schema: JSONSchemaProps;
  readonly optional: boolean;
}

/** `above`: the objects around this one; one that comes again is a definition without end. */
function convert(schema: z.core.$ZodType, path: string, above: readonly z.core.$ZodType[]): Converted {
  const { inner, optional, nullable, initial, meta } = unwrap(schema, path);
  if (above.includes(inner)) {
    throw new SchemaError(
      path,
      "contains itself; a CRD has no recursion, use z.unknown() from some depth on",
    );
  }
  return {
    optional,
    schema: inOrder({
      ...valueOf(inner, path, [...above, inner]),
      ...(nullable && { nullable }),
      ...(initial !== undefined && { default: initial }),
      ...extensions(meta),
    }),
  };
}

function valueOf(schema: z.core.$ZodType, path: string, above: readonly z.core.$ZodType[]): JSONSchemaProps {
  refuseCoercion(schema, path);
  if (schema instanceof z.core.$ZodString) return { type: "string", ...checksOf(schema, path) };
  if (schema instanceof z.core.$ZodNumber) return { type: "number", ...checksOf(schema, path) };
  if (schema instanceof z.core.$ZodBoolean) return { type: "boolean", ...checksOf(schema, path) };
  if (schema instanceof z.core.$ZodArray) return listOf(schema, path, above);
  if (schema instanceof z.core.$ZodObject) return objectOf(schema, path, above);
  if (schema instanceof z.core.$ZodRecord) return mapOf(schema, path, above);
  if (schema instanceof z.core.$ZodUnknown || schema instanceof z.core.$ZodAny) return anything;
  const literals = literalsOf(schema, path);
  if (literals !== undefined) return { ...literals, ...checksOf(schema, path) };
  if (schema instanceof z.core.$ZodUnion) return intOrStringOf(schema, path);
  throw new SchemaError(path, `z.${schema._zod.def.type}() has no equal in a CRD`);
}

const anything: JSONSchemaProps = { "x-kubernetes-preserve-unknown-fields": true };

function refuseCoercion(schema: z.core.$ZodType, path: string): void {
  if ("coerce" in schema._zod.def && schema._zod.def.coerce === true) {
    throw new SchemaError(
      path,
      "z.coerce changes the value, and an API server does not; say the type that is meant",
    );
  }
}

function listOf(schema: z.core.$ZodArray, path: string, above: readonly z.core.$ZodType[]): JSONSchemaProps {
  const items = part(schema._zod.def.element, `${path}[*]`, above);
  return { type: "array", ...checksOf(schema, path), items };
}

function objectOf(
  schema: z.core.$ZodObject,
  path: string,
  above: readonly z.core.$ZodType[],
): JSONSchemaProps {
  const { shape, catchall } = schema._zod.def;
  checksOf(schema, path);
  const properties: Record<string, JSONSchemaProps> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const converted = convert(field, `${path}.${name}`, above);
    properties[name] = converted.schema;
    if (!converted.optional) required.push(name);
  }
  return {
    type: "object",
    ...othersOf(catchall, path),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function othersOf(catchall: z.core.$ZodType | undefined, path: string): JSONSchemaProps {
  if (catchall === undefined) return {};
  if (catchall instanceof z.core.$ZodUnknown) return anything;
  throw new SchemaError(
    path,
    catchall instanceof z.core.$ZodNever
      ? "z.strictObject() refuses unknown fields, an API server drops them; use z.object()"
      : ".catchall() cannot stand beside fields in a CRD; use z.record() for a map, z.looseObject() to keep all",
  );
}

function mapOf(schema: z.core.$ZodRecord, path: string, above: readonly z.core.$ZodType[]): JSONSchemaProps {
  const { keyType, valueType } = schema._zod.def;
  if (!(keyType instanceof z.core.$ZodString) || Object.keys(checksOf(keyType, path)).length > 0) {
    throw new SchemaError(
      path,
      "a CRD cannot say which keys a map may have; use z.string() for them, or z.object()",
    );
  }
  checksOf(schema, path);
  return { type: "object", additionalProperties: part(valueType, `${path}.*`, above) };
}

/** Items and values are there or not: only fields can be left out. */
function part(schema: z.core.$ZodType, path: string, above: readonly z.core.$ZodType[]): JSONSchemaProps {
  const converted = convert(schema, path, above);
  if (!converted.optional) return converted.schema;
  throw new SchemaError(
    path,
    "only a field can be optional or have a default, not an item or a value of a map",
  );
}

/** The one union that a CRD knows: a whole number or a text. */
function intOrStringOf(schema: z.core.$ZodUnion, path: string): JSONSchemaProps {
  const options = schema._zod.def.options.map((option) => structuralOf(option, path));
  const text = options.find(({ type }) => type === "string");
  if (options.length === 2 && text !== undefined && options.some(({ type }) => type === "integer")) {
    const { pattern } = text;
    return {
      anyOf: [{ type: "integer" }, { type: "string" }],
      ...(pattern !== undefined && { pattern }),
      "x-kubernetes-int-or-string": true,
    };
  }
  throw new SchemaError(
    path,
    "z.union() can be said in a CRD only for texts that are known (z.enum) and for z.union([z.int(), z.string()])",
  );
}

/** Of `.meta()`, what a CRD has a place for. */
function extensions(meta: Readonly<Record<string, unknown>>): JSONSchemaProps {
  return Object.fromEntries(
    Object.entries(meta).filter(
      ([key]) => ["description", "title", "format"].includes(key) || key.startsWith("x-kubernetes-"),
    ),
  );
}
