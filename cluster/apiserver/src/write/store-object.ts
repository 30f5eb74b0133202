import type { ApiObject, StoredApiObject } from "../registry/types.ts";
import { encodeForStore, isServedAsStored, unversioned, versioned } from "../storage/object-version.ts";
import type { ObjectWrite } from "../storage/storage.ts";
import type { WriteScope } from "./scope.ts";

/** Where an object goes, and what must be there. */
export type StorePlace = Pick<ObjectWrite, "key" | "expected" | "lease" | "ttl">;

/**
 * Stores an object: encoded once, for the store, the answer and the watchers. The stored one, frozen; undefined when
 * another writer was faster, and then the object may be changed still.
 */
export async function storeObject(
  { core, resource, pause }: WriteScope,
  object: ApiObject,
  place: StorePlace,
): Promise<StoredApiObject | undefined> {
  const stored = unversioned(object);
  const value = encodeForStore(stored, resource);
  await pause();
  // What has a status is written again soon; to keep others would cost more than to decode them when they are asked for.
  const isKept = isServedAsStored(resource) && resource.subresources.has("status");
  const made = isKept ? { resource, object: stored } : undefined;
  const revision = await core.storage.write({ ...place, value, made });
  if (revision === undefined) return undefined;
  await pause();
  const shown = versioned(stored, revision);
  resource.strategy.stored?.(shown);
  return shown;
}
