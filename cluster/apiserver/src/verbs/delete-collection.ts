import { isNotFound } from "@kedge/machinery";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { BodyReaders } from "../decode/parse-body.ts";
import { scopeOf, type WriteCore } from "../write/scope.ts";
import { deleteObject } from "../write/delete-object.ts";
import { deleteOptions } from "./delete-options.ts";
import type { Listing } from "../response/listing.ts";
import { list, type ListCore } from "./list.ts";

/** DELETE of a collection: deletes what is selected, and answers what it was. Throws a `StatusError`. */
export async function removeCollection(
  core: WriteCore & BodyReaders & ListCore,
  request: ResourceRequest,
): Promise<Listing> {
  const { resource } = request;
  const { preferences, dryRun } = await deleteOptions(core, request);
  const listing = await list(core, request);
  const scope = scopeOf(core, request, { dryRun });
  for (const version of listing.versions) {
    // Looking is work, too, where nothing is written.
    await request.pause();
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
