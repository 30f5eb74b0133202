import { notFound } from "@kedge/machinery";
import type { Core } from "../core.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { revisionOf, tooLarge } from "../request/revision.ts";
import { convertVersions } from "../storage/convert-versions.ts";
import { keyFor } from "../storage/keys.ts";
import type { ObjectVersion } from "../storage/object-version.ts";

/** Reads one object: as new as every write that was answered, unless a resourceVersion asks for less. Throws a 404. */
export async function get(
  { storage }: Pick<Core, "storage">,
  { resource, namespace, name, query }: ResourceRequest,
): Promise<ObjectVersion> {
  const asked = query.get("resourceVersion") ?? "";
  const revision = revisionOf(asked);
  const newest = await storage.asNewAs(asked);
  if (revision > newest) throw tooLarge(asked, newest);
  const version = storage.cache(resource.storage).get(keyFor(resource, { namespace, name }));
  if (version === undefined) throw notFound(resource, name);
  await convertVersions([version], resource);
  return version;
}
