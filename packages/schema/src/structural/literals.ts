import * as z from "zod";
import type { JSONSchemaProps } from "@kedge/machinery/kinds/apiextensions/v1";
import { SchemaError } from "./schema-error.ts";

/** The schema of `z.enum()`, `z.literal()` and unions of them; undefined for anything else. */
export function literalsOf(schema: z.core.$ZodType, path: string): JSONSchemaProps | undefined {
  const values = valuesOf(schema);
  if (values === undefined) return undefined;
  const types = new Set(values.map((value) => typeof value));
  const [type] = types;
  if (types.size !== 1 || (type !== "string" && type !== "number" && type !== "boolean")) {
    throw new SchemaError(
      path,
      "values that are given one by one must be all texts, all numbers or all booleans in a CRD",
    );
  }
  const isWhole = values.every((value) => Number.isSafeInteger(value));
  return { type: type === "number" && isWhole ? "integer" : type, enum: [...values] };
}

function valuesOf(schema: z.core.$ZodType): readonly unknown[] | undefined {
  if (schema instanceof z.core.$ZodEnum) return [...schema._zod.values];
  if (schema instanceof z.core.$ZodLiteral) return schema._zod.def.values;
  if (!(schema instanceof z.core.$ZodUnion)) return undefined;
  const parts = schema._zod.def.options.map((option) => valuesOf(option));
  return parts.every((values) => values !== undefined) ? parts.flat() : undefined;
}
