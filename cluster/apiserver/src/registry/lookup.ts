import type { GroupVersionKind, Kind } from "@kedge/machinery";
import type { ObjectReader, Resource, StoredApiObject } from "./types.ts";
import { decodedAs, type Decoded } from "./decoded.ts";

/** An object of a kind that may not be served at all. */
export function lookUp<T>(
  objects: ObjectReader,
  kind: Kind<T>,
  key: { readonly name: string; readonly namespace?: string | undefined },
): Decoded<T> | undefined {
  const resource = resourceFor(objects, kind);
  const found = resource === undefined ? undefined : objects.get(resource, key);
  return found === undefined ? undefined : decodedAs(kind, found);
}

/** All objects of a kind, of one namespace if it is named; none when the kind is not served. */
export function lookUpAll<T>(objects: ObjectReader, kind: Kind<T>, namespace?: string): Decoded<T>[] {
  const resource = resourceFor(objects, kind);
  if (resource === undefined) return [];
  return objects.list(resource, namespace).map((object: StoredApiObject) => decodedAs(kind, object));
}

function resourceFor(objects: ObjectReader, kind: GroupVersionKind): Resource | undefined {
  return objects.registry.byKind(kind.group, kind.kind, kind.version);
}
