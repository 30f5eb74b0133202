import * as z from "zod";

/**
 * A list whose items are told apart by some of their fields. Each item has its own owners in server-side apply, and two
 * items with equal keys are refused. The keys must be required or have a default.
 */
export function listMap<T extends z.ZodObject>(
  item: T,
  ...keys: [keyof z.input<T> & string, ...(keyof z.input<T> & string)[]]
): z.ZodArray<T> {
  return z.array(item).meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
}

/** A list of scalars in which nothing stands twice. */
export function listSet<T extends z.ZodType<string | number | boolean>>(item: T): z.ZodArray<T> {
  return z.array(item).meta({ "x-kubernetes-list-type": "set" });
}
