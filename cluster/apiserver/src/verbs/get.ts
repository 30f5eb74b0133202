import { notFound } from "@kedge/machinery";
import type { Core } from "../core.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { revisionOf, tooLarge } from "../request/revision.ts";
import { keyFor } from "../storage/keys.ts";
import type { ObjectVersion } from "../storage/object-version.ts";

/** Reads one object, at least as new as every write that was answered. Throws a 404. */
export async function get(
  { storage }: Pick<Core, "storage">,
  { resource, namespace, name, query }: ResourceRequest,
): Promise<ObjectVersion> {
  const asked = query.get("resourceVersion") ?? "";
  const revision = revisionOf(asked);
  const newest = await storage.current();
  if (revision > newest) throw tooLarge(asked, newest);
  const version = storage.cache(resource.storage).get(keyFor(resource, { namespace, name }));
  if (version === undefined) throw notFound(resource, name);
  return version;
}
