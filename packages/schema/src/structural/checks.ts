import * as z from "zod";
import type { JSONSchemaProps } from "@kedge/machinery/kinds/apiextensions/v1";
import { patternOf } from "./pattern.ts";
import { SchemaError } from "./schema-error.ts";

/** What the checks of a text, number or list (`.min()`, `.regex()`, …) say in a CRD. */
export function checksOf(schema: z.core.$ZodType, path: string): JSONSchemaProps {
  const said: JSONSchemaProps = {};
  for (const check of allChecks(schema)) {
    const part = checkOf(check, schema, path);
    const twice = Object.keys(part).find((key) => key in said);
    if (twice !== undefined)
      throw new SchemaError(path, `has two checks that both set ${twice}; a CRD takes one`);
    Object.assign(said, part);
  }
  return said;
}

/** The schema itself is a check where it has a format, such as `z.int32()`. */
function allChecks(schema: z.core.$ZodType): readonly z.core.$ZodCheck[] {
  const own =
    schema instanceof z.core.$ZodStringFormat || schema instanceof z.core.$ZodNumberFormat ? [schema] : [];
  return [...own, ...(schema._zod.def.checks ?? [])];
}

function checkOf(check: z.core.$ZodCheck, schema: z.core.$ZodType, path: string): JSONSchemaProps {
  if (check instanceof z.core.$ZodCheckNumberFormat) return numberFormat(check._zod.def.format, path);
  if (
    check instanceof z.core.$ZodCheckStringFormat ||
    check instanceof z.core.$ZodCheckStartsWith ||
    check instanceof z.core.$ZodCheckEndsWith ||
    check instanceof z.core.$ZodCheckIncludes
  ) {
    return stringFormat(check._zod.def, path);
  }
  if (check instanceof z.core.$ZodCheckMinLength) {
    const { minimum } = check._zod.def;
    return isList(schema) ? { minItems: minimum } : { minLength: minimum };
  }
  if (check instanceof z.core.$ZodCheckMaxLength) {
    const { maximum } = check._zod.def;
    return isList(schema) ? { maxItems: maximum } : { maxLength: maximum };
  }
  if (check instanceof z.core.$ZodCheckLengthEquals) {
    const { length } = check._zod.def;
    return isList(schema) ? { minItems: length, maxItems: length } : { minLength: length, maxLength: length };
  }
  if (check instanceof z.core.$ZodCheckGreaterThan) {
    const { value, inclusive } = check._zod.def;
    return { minimum: Number(value), ...(!inclusive && { exclusiveMinimum: true }) };
  }
  if (check instanceof z.core.$ZodCheckLessThan) {
    const { value, inclusive } = check._zod.def;
    return { maximum: Number(value), ...(!inclusive && { exclusiveMaximum: true }) };
  }
  if (check instanceof z.core.$ZodCheckMultipleOf) return { multipleOf: Number(check._zod.def.value) };
  throw new SchemaError(path, unsayable(check._zod.def.check));
}

function isList(schema: z.core.$ZodType): boolean {
  return schema instanceof z.core.$ZodArray;
}

function numberFormat(format: string, path: string): JSONSchemaProps {
  switch (format) {
    case "int32":
      return { type: "integer", format: "int32" };
    case "safeint":
      return { type: "integer", format: "int64" };
    case "float32":
      return { format: "float" };
    case "float64":
      return { format: "double" };
    default:
      throw new SchemaError(
        path,
        `the number format ${format} has no equal in a CRD; use z.int(), z.int32() or z.number()`,
      );
  }
}

function stringFormat(
  { format, pattern }: { readonly format: string; readonly pattern?: RegExp | undefined },
  path: string,
): JSONSchemaProps {
  if (format === "datetime") return { format: "date-time" };
  if (pattern !== undefined) return { pattern: patternOf(pattern, path) };
  throw new SchemaError(
    path,
    `the text format ${format} is code, not a pattern, and a CRD cannot hold it; use .regex()`,
  );
}

function unsayable(check: string): string {
  if (check === "custom")
    return ".refine(), .check() and z.custom() are code, and a CRD cannot hold it; use rule() with CEL";
  if (check === "overwrite")
    return "a schema that changes the value (.trim(), .toLowerCase()) cannot be said in a CRD";
  return `the check ${check} has no equal in a CRD`;
}
