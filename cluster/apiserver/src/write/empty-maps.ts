import { isJsonObject } from "@kedge/machinery";
import type { ApiObject, Resource } from "../registry/types.ts";

/** The maps of a sent object that are empty where that is something else than none; defaulting drops them. */
export function emptyMaps(object: ApiObject, { strategy }: Resource): readonly string[] {
  return (strategy.emptyCounts ?? []).filter((field) => {
    const value = object[field];
    return isJsonObject(value) && Object.keys(value).length === 0;
  });
}

/** An object as it was sent: with the empty maps that defaulting has dropped. */
export function withEmpty(object: ApiObject, fields: readonly string[]): ApiObject {
  const dropped = fields.filter((field) => object[field] === undefined);
  return { ...object, ...Object.fromEntries(dropped.map((field) => [field, {}])) };
}
