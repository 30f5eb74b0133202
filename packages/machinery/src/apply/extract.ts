import { isJsonObject, type JsonObject } from "../json-value.ts";
import type { TypeSchema } from "../type-schema/type-schema.ts";
import { extractItems } from "./extract-items.ts";
import { leaves } from "./field-set.ts";
import { readManagedFields } from "./managed-fields.ts";
import { metaOf, withMeta } from "./object-meta.ts";

/** Whose part of an object is wanted. */
export interface ExtractOptions {
  readonly schema: TypeSchema;
  readonly manager: string;
  readonly subresource?: string | undefined;
}

/** What an applier owns of an object, as he could apply it again; undefined when he owns nothing. */
export function extractApplied(
  object: Readonly<JsonObject>,
  options: ExtractOptions,
): JsonObject | undefined {
  const managers = readManagedFields(metaOf(object)["managedFields"]);
  const own = [...managers.values()].find(
    ({ name, operation, subresource }) =>
      name === options.manager && operation === "Apply" && subresource === (options.subresource ?? ""),
  );
  if (own === undefined) return undefined;
  const bare = withMeta(object, "managedFields", undefined);
  const extracted = extractItems(options.schema, bare, leaves(own.fields));
  if (!isJsonObject(extracted)) return undefined;
  const { apiVersion, kind } = object;
  return { apiVersion, kind, ...extracted };
}
