import { notFound } from "@kedge/machinery";
import type { Ask } from "../request/ask.ts";
import { revisionOf, tooLarge } from "../request/revision.ts";
import { keyFor } from "../storage/keys.ts";
import type { ObjectVersion } from "../storage/object-version.ts";

/** Reads one object, at least as new as every write that was answered. Throws a 404. */
export async function get({ core, resource, namespace, name, query }: Ask): Promise<ObjectVersion> {
  const { storage } = core;
  const asked = revisionOf(query.get("resourceVersion") ?? "");
  const newest = await storage.current();
  if (asked > newest) throw tooLarge(asked, newest);
  const version = storage.cache(resource.storage).get(keyFor(resource, { namespace, name }));
  if (version === undefined) throw notFound(resource, name);
  return version;
}
