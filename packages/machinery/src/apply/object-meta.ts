import { getOwn, isJsonObject, type JsonObject } from "../json-value.ts";

/** An object's metadata, empty when it has none. */
export function metaOf(object: Readonly<JsonObject>): Readonly<JsonObject> {
  const metadata = getOwn(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

/** The same object with another value for a field of its metadata; undefined takes the field away. */
export function withMeta(object: Readonly<JsonObject>, field: string, value: unknown): JsonObject {
  if (value === undefined && getOwn(metaOf(object), field) === undefined) return object;
  const { [field]: _, ...rest } = metaOf(object);
  return { ...object, metadata: value === undefined ? rest : { ...rest, [field]: value } };
}

/** How the server names an object in errors: `default/web; apps/v1, Kind=Deployment`. */
export function objectText(object: Readonly<JsonObject>): string {
  const { namespace, name } = metaOf(object);
  return `${textOf(namespace)}/${textOf(name)}; ${gvkText(object)}`;
}

/** How the server names a kind in errors: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function gvkText({ apiVersion, kind }: Readonly<JsonObject>): string {
  const version = textOf(apiVersion);
  return `${version.includes("/") ? version : `/${version}`}, Kind=${textOf(kind)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
