import * as z from "zod";

/** A moment, RFC 3339: `2026-11-15T21:36:02Z`. */
export function time(): z.ZodISODateTime {
  return z.iso.datetime({ offset: true });
}
