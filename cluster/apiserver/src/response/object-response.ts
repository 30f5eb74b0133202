import { apiVersionOf, type ApiResponse, type Status } from "@kedge/machinery";
import type { StoredApiObject } from "../registry/types.ts";
import type { Ask } from "../request/ask.ts";
import { withTypeMeta, type ObjectVersion } from "../storage/object-version.ts";
import type { Listing } from "../verbs/list.ts";
import { encodedResponse } from "./encode.ts";
import { transformList, transformObject } from "./transform.ts";

/** Answers with an object, or a Status. */
export function objectResponse(ask: Ask, status: number, object: StoredApiObject | Status): ApiResponse {
  const { form } = ask;
  if (form.as === undefined || isStatus(object)) return encodedResponse(status, { value: object }, form);
  return encodedResponse(status, { value: transformObject(ask, object, form.as) }, form);
}

function isStatus(object: StoredApiObject | Status): object is Status {
  return object.kind === "Status" && object.apiVersion === "v1";
}

/** Answers with an object of the cache, which is encoded already. */
export function versionResponse(ask: Ask, version: ObjectVersion): ApiResponse {
  const { form, resource } = ask;
  const view = version.as(resource);
  if (form.as !== undefined) return objectResponse(ask, 200, view.object);
  return encodedResponse(200, { json: withTypeMeta(view.object, view.json) }, form);
}

/** Answers with a list. Items of built-in kinds do not say what they are. */
export function listResponse(ask: Ask, { items, metadata }: Listing): ApiResponse {
  const { form, resource } = ask;
  if (form.as !== undefined) {
    const objects = items.map((version) => version.as(resource).object);
    return encodedResponse(
      200,
      { value: transformList(ask, objects, { as: form.as, metadata: { ...metadata } }) },
      form,
    );
  }
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const json = items.map((version) => {
    const view = version.as(resource);
    return resource.custom === undefined ? view.json : withTypeMeta(type, view.json);
  });
  // Lists of custom resources say that nothing comes, where others say nothing.
  const shown = resource.custom === undefined ? metadata : { continue: "", ...metadata };
  const head = withTypeMeta({ ...type, kind: resource.listKind }, JSON.stringify({ metadata: shown }));
  return encodedResponse(200, { json: `${head.slice(0, -1)},"items":[${json.join(",")}]}` }, form);
}
