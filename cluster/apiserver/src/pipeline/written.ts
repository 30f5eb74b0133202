import type { ApiResponse } from "@kedge/machinery";
import type { Core } from "../core.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { objectResponse, versionResponse } from "../response/object-response.ts";
import { keyFor } from "../storage/keys.ts";
import type { Updated } from "../write/update-object.ts";

/** Answers with what a request has written. What is shown as it is stored is not encoded again. */
export async function written(
  { storage }: Pick<Core, "storage">,
  request: ResourceRequest,
  { object, created }: Updated,
): Promise<ApiResponse> {
  const { resource, pause } = request;
  await pause();
  const { namespace, name = "" } = object.metadata;
  const version = storage.cache(resource.storage).get(keyFor(resource, { namespace, name }));
  const status = created ? 201 : 200;
  return version?.isShownAs(resource, object) === true
    ? await versionResponse(request, version, status)
    : await objectResponse(request, status, object);
}
