import type { ApiObject, StoredApiObject } from "./api-object.ts";

/** Takes over top-level fields from the stored object as they are: frozen. Missing ones too. */
export function keep(object: ApiObject, previous: StoredApiObject, fields: Iterable<string>): void {
  for (const field of fields) {
    if (previous[field] === undefined) delete object[field];
    else object[field] = previous[field];
  }
}

/** Takes over all but type, metadata and these. */
export function keepAllBut(object: ApiObject, previous: StoredApiObject, others: readonly string[]): void {
  const left = new Set([...Object.keys(object), ...Object.keys(previous)]);
  for (const field of ["apiVersion", "kind", "metadata", ...others]) left.delete(field);
  keep(object, previous, left);
}
