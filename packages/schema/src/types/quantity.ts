import * as z from "zod";

/**
 * An amount such as `500m`, `2Gi` or `1.5`. Custom resources keep it as it was written: make it canonical
 * (`parseQuantity`, `quantityToString`) before it goes into a built-in kind, or each apply looks like a change.
 */
export function quantity(): z.ZodUnion<[z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string().regex(pattern)]);
}

const pattern = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/u;
