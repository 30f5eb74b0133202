import type { ApiResponse } from "@kedge/machinery";
import type { Core } from "../core.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { objectResponse, versionResponse } from "../response/object-response.ts";
import { keyFor } from "../storage/keys.ts";
import { isServedAsStored } from "../storage/object-version.ts";
import type { Updated } from "../write/update-object.ts";

/** Answers with what a request has written. What is shown as it is stored is not encoded again. */
export async function written(
  { storage }: Pick<Core, "storage">,
  request: ResourceRequest,
  { object, created }: Updated,
): Promise<ApiResponse> {
  const { resource, query, pause } = request;
  await pause();
  const { namespace, name = "", resourceVersion } = object.metadata;
  const version = storage.cache(resource.storage).get(keyFor(resource, { namespace, name }));
  // What was only tried has the version of what is there.
  const isThis =
    version !== undefined && String(version.revision) === resourceVersion && !query.has("dryRun");
  const status = created ? 201 : 200;
  return isThis && isServedAsStored(resource)
    ? await versionResponse(request, version, status)
    : await objectResponse(request, status, object);
}
