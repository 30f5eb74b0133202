import * as z from "zod";
import { deepEqual } from "@kedge/machinery";
import { SchemaError } from "./schema-error.ts";

/** A zod schema without its wrappers, and what these said. */
export interface Unwrapped {
  readonly inner: z.core.$ZodType;
  /** Whether a property of this schema may be left out. */
  readonly optional: boolean;
  readonly nullable: boolean;
  /** What stands for a value that is left out; undefined: nothing does. */
  readonly initial: unknown;
  /** Of `.describe()` and `.meta()`; what is said outside overrides what is said inside. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Takes `.optional()`, `.nullable()`, `.default()` and their like off a schema. */
export function unwrap(schema: z.core.$ZodType, path: string): Unwrapped {
  const meta = { ...z.globalRegistry.get(schema) };
  const next = wrapped(schema);
  if (next === undefined)
    return { inner: schema, optional: false, nullable: false, initial: undefined, meta };
  const below = unwrap(next, path);
  return { ...below, ...modifier(schema, next, path), meta: { ...below.meta, ...meta } };
}

function wrapped(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodNonOptional ||
    schema instanceof z.core.$ZodNullable ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodPrefault ||
    schema instanceof z.core.$ZodReadonly
  ) {
    return schema._zod.def.innerType;
  }
  return undefined;
}

function modifier(schema: z.core.$ZodType, inner: z.core.$ZodType, path: string): Partial<Unwrapped> {
  if (schema instanceof z.core.$ZodOptional) return { optional: true };
  if (schema instanceof z.core.$ZodNonOptional) return { optional: false };
  if (schema instanceof z.core.$ZodNullable) return { nullable: true };
  if (schema instanceof z.core.$ZodPrefault) {
    const initial: unknown = schema._zod.def.defaultValue;
    parseDefault(inner, initial, path);
    return { optional: true, initial };
  }
  if (schema instanceof z.core.$ZodDefault) {
    const initial: unknown = schema._zod.def.defaultValue;
    if (!deepEqual(parseDefault(inner, initial, path), initial)) {
      throw new SchemaError(
        path,
        ".default() has fields that have defaults of their own, and the API server would fill them in; use .prefault()",
      );
    }
    return { optional: true, initial };
  }
  return {};
}

function parseDefault(inner: z.core.$ZodType, initial: unknown, path: string): unknown {
  const result = z.safeParse(inner, initial);
  if (result.success) return result.data;
  throw new SchemaError(
    path,
    `default ${JSON.stringify(initial)} does not fit the field itself: ${result.error.issues[0]?.message ?? ""}`,
  );
}
