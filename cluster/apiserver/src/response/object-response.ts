import { apiVersionOf, type ApiResponse, type Status } from "@kedge/machinery";
import type { StoredApiObject } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { withTypeMeta, type ObjectVersion } from "../storage/object-version.ts";
import { joined } from "../storage/stored-json.ts";
import { encodedResponse } from "./encode.ts";
import { bytesResponse } from "./responses.ts";
import { transformObject } from "./transform.ts";

/** Answers with an object, or a Status. */
export function objectResponse(
  request: ResourceRequest,
  status: number,
  object: StoredApiObject | Status,
): ApiResponse {
  const { form } = request;
  if (form.as === undefined || isStatus(object)) return encodedResponse(status, { value: object }, form);
  return encodedResponse(status, { value: transformObject(request, object, form.as) }, form);
}

function isStatus(object: StoredApiObject | Status): object is Status {
  return object.kind === "Status" && object.apiVersion === "v1";
}

/** Answers with an object of the cache, which is encoded already. */
export function versionResponse(request: ResourceRequest, version: ObjectVersion): ApiResponse {
  const { form, resource } = request;
  const view = version.as(resource);
  if (form.as !== undefined || form.encoding !== "json" || form.pretty)
    return objectResponse(request, 200, view.object);
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const bytes = joined([withTypeMeta(type, view.json), Buffer.from("\n")]);
  return bytesResponse(200, bytes, { "content-type": "application/json" });
}
