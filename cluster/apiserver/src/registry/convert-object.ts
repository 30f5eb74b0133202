import { apiVersionOf, clone } from "@kedge/machinery";
import type { ApiObject, Resource, StoredApiObject } from "./types.ts";

/** A copy of an object in another version of its resource. Rejects with a `StatusError` when nobody can make it. */
export async function convertObject(
  object: StoredApiObject,
  from: Resource,
  to: Resource,
): Promise<ApiObject> {
  const apiVersion = apiVersionOf(to);
  const copy = (await to.converter?.convert([object], apiVersion))?.[0] ?? clone(object);
  from.conversion?.toStored(copy);
  copy.apiVersion = apiVersion;
  copy.kind = to.kind;
  to.conversion?.fromStored(copy);
  to.custom?.prune(copy);
  return copy;
}
