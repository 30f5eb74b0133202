import { apiVersionOf, deepFreeze } from "@kedge/machinery";
import type { ApiObject, Resource } from "../registry/types.ts";
import type { ObjectVersion } from "./object-version.ts";

/** So many objects, or bytes of them, are sent to a webhook at once. */
const mostObjects = 100;
const mostBytes = 256 * 1024;

/**
 * Lets a webhook convert what a resource is to show, if that is how its versions are made; then it is shown in no time.
 * Rejects with a `StatusError` when the webhook does not.
 */
export function convertVersions(
  versions: Iterable<ObjectVersion>,
  resource: Resource,
): Promise<void> | undefined {
  return resource.converter === undefined ? undefined : convertAll(versions, resource);
}

async function convertAll(versions: Iterable<ObjectVersion>, resource: Resource): Promise<void> {
  let batch: Waiting[] = [];
  let bytes = 0;
  for (const version of versions) {
    const object = version.toConvert(resource);
    if (object === undefined) continue;
    batch.push({ version, object });
    bytes += version.size;
    if (batch.length < mostObjects && bytes < mostBytes) continue;
    await convertBatch(batch, resource);
    batch = [];
    bytes = 0;
  }
  await convertBatch(batch, resource);
}

interface Waiting {
  readonly version: ObjectVersion;
  readonly object: ApiObject;
}

/** Objects are stored in the version that was the stored one when they were written. */
async function convertBatch(batch: readonly Waiting[], resource: Resource): Promise<void> {
  const { converter, custom } = resource;
  if (batch.length === 0 || converter === undefined) return;
  const objects = batch.map(({ object }) => object);
  const converted = await converter.convert(objects, apiVersionOf(resource));
  for (const [i, { version }] of batch.entries()) {
    const object = converted[i];
    if (object === undefined) continue;
    // Defaults are those of the version that was written.
    custom?.prune(object);
    deepFreeze(object);
    version.takeConverted(resource, object);
  }
}
