import { decodeObject, type DecodeOptions } from "../decode/decode-object.ts";
import type { BodyReaders } from "../decode/parse-body.ts";
import type { ApiObject } from "../registry/types.ts";
import { header, type ResourceRequest } from "../request/resource-request.ts";

/** The object in the body of a request. Throws a 400 or a 415. */
export async function decodeBody(
  { table, yaml }: BodyReaders,
  request: ResourceRequest,
  options: Pick<DecodeOptions, "expected" | "olderVersions" | "custom" | "fieldValidation">,
): Promise<ApiObject> {
  const { body, warn, pause } = request;
  const type = header(request, "content-type");
  const object = await decodeObject(body, type, { table, yaml, warn, pause, ...options });
  request.onObject?.(object);
  return object;
}
