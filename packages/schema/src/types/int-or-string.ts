import * as z from "zod";

/** A whole number or a text, such as a port by number or by name. */
export function intOrString(): z.ZodUnion<[z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()]);
}
