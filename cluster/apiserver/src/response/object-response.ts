import { apiVersionOf, type ApiResponse, type Status } from "@kedge/machinery";
import { inEnvelope } from "../protobuf/index.ts";
import type { StoredApiObject } from "../registry/types.ts";
import { mediaTypes } from "../request/negotiate.ts";
import { inSteps } from "../request/pause.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { typeMetaOf, type ObjectVersion } from "../storage/object-version.ts";
import { joined } from "../storage/stored-json.ts";
import { encodedResponse } from "./encode.ts";
import { bytesResponse } from "./responses.ts";
import { transformObject } from "./transform.ts";
import { yamlInSteps } from "./yaml-in-steps.ts";

const newline = Buffer.from("\n");

/** Answers with an object, or a Status. */
export async function objectResponse(
  request: ResourceRequest,
  status: number,
  object: StoredApiObject | Status,
): Promise<ApiResponse> {
  const { form } = request;
  const value =
    form.as === undefined || isStatus(object) ? object : transformObject(request, object, form.as);
  return await valueResponse(request, status, value);
}

/** Answers with a value as it is. */
export async function valueResponse(
  { form, pause }: Pick<ResourceRequest, "form" | "pause">,
  status: number,
  value: unknown,
): Promise<ApiResponse> {
  if (form.encoding !== "yaml") return encodedResponse(status, { value }, form);
  const text = await inSteps(yamlInSteps(value), pause);
  return bytesResponse(status, text, { "content-type": "application/yaml" });
}

function isStatus(object: StoredApiObject | Status): object is Status {
  return object.kind === "Status" && object.apiVersion === "v1";
}

/** Answers with an object of the cache, which is encoded already. */
export async function versionResponse(
  request: ResourceRequest,
  version: ObjectVersion,
  status = 200,
): Promise<ApiResponse> {
  const { form, resource } = request;
  if (form.as === undefined && form.encoding === "protobuf") {
    const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    const bytes = joined(inEnvelope(type, version.as(resource).message));
    return bytesResponse(status, bytes, { "content-type": mediaTypes.protobuf });
  }
  if (form.as !== undefined || form.encoding !== "json" || form.pretty)
    return await objectResponse(request, status, version.as(resource).object);
  // To put it together again costs less than to keep it for each object that was ever asked for.
  const view = version.inPassing(resource);
  const bytes = joined([typeMetaOf(resource), ...view.body, newline]);
  return bytesResponse(status, bytes, { "content-type": "application/json" });
}
