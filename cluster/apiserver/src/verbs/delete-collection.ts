import { isNotFound } from "@kedge/machinery";
import { scopeOf, type Ask } from "../request/ask.ts";
import { deleteObject } from "../write/delete-object.ts";
import { deleteOptions } from "./delete-options.ts";
import { list, type Listing } from "./list.ts";

/** DELETE of a collection: deletes what is selected, and answers what it was. Throws a `StatusError`. */
export async function removeCollection(ask: Ask): Promise<Listing> {
  const { resource } = ask;
  const { preferences, dryRun } = await deleteOptions(ask);
  const listing = await list(ask);
  const scope = scopeOf(ask, dryRun);
  for (const version of listing.versions) {
    // Looking is work, too, where nothing is written.
    await ask.pause();
    if (!listing.matches(version)) continue;
    const { name = "", namespace } = version.as(resource).object.metadata;
    try {
      await deleteObject(scope, { key: { namespace, name }, preferences });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return listing;
}
