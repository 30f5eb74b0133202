import type { ApiObject, StoredApiObject } from "../registry/types.ts";
import { convertVersions } from "../storage/convert-versions.ts";
import {
  encodeForStore,
  isServedAsStored,
  ObjectVersion,
  unversioned,
  versioned,
} from "../storage/object-version.ts";
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
  if (resource.converter !== undefined) return await storeConverted({ core, resource, object, place });
  const split = resource.strategy.hidden?.split(object);
  const stored = unversioned(split?.shown ?? object);
  const value = encodeForStore(stored, resource, split?.hidden);
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

/** What a webhook makes of the object is stored, and what it makes of that again is the answer. */
async function storeConverted({
  core,
  resource,
  object,
  place,
}: Pick<WriteScope, "core" | "resource"> & {
  readonly object: ApiObject;
  readonly place: StorePlace;
}): Promise<StoredApiObject | undefined> {
  const { converter } = resource;
  const sent = unversioned(object);
  const [converted = sent] =
    converter === undefined || converter.stored === sent.apiVersion
      ? [sent]
      : await converter.convert([sent], converter.stored);
  const { key } = place;
  const value = Buffer.from(JSON.stringify(unversioned(converted)));
  const revision = await core.storage.write({ ...place, value });
  if (revision === undefined) return undefined;
  const found = core.storage.cache(resource.storage).get(key);
  // Another writer may be faster than the webhook.
  const version =
    found?.revision === revision ? found : new ObjectVersion({ key, value, revision, lease: 0 });
  await convertVersions([version], resource);
  const shown = version.as(resource).object;
  resource.strategy.stored?.(shown);
  return shown;
}
