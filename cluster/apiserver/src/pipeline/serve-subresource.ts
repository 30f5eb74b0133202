import { badRequest, type ApiRequest, type ApiResponse } from "@kedge/machinery";
import type {
  ActionSubresource,
  ConnectSubresource,
  ScaleSubresource,
  Subresource,
} from "../registry/types.ts";
import type { Core } from "../core.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { writeOptions } from "../request/query.ts";
import { objectResponse, versionResponse } from "../response/object-response.ts";
import { noSuchMethod } from "../response/status-response.ts";
import { get } from "../verbs/get.ts";
import { patch } from "../verbs/patch.ts";
import { getScale, patchScale, updateScale } from "../verbs/scale.ts";
import { update } from "../verbs/update.ts";
import { contextOf, scopeOf } from "../write/scope.ts";
import { admissionOf } from "../write/write-admission.ts";
import { admitConnection } from "./admit-connection.ts";
import { written } from "./written.ts";
import { decodeBody } from "../verbs/decode-body.ts";

/** How a request of a subresource was sent. */
export interface SubresourceSending {
  readonly subresource: Subresource;
  readonly verb: string;
  readonly sent: ApiRequest;
}

/** Answers a request for a path below an object. Throws a `StatusError`. */
export async function serveSubresource(
  core: Core,
  request: ResourceRequest,
  { subresource, verb, sent }: SubresourceSending,
): Promise<ApiResponse> {
  switch (subresource.type) {
    case "part":
      if (!subresource.verbs.some((known) => known === verb)) throw noSuchMethod();
      if (verb === "get") return await versionResponse(request, await get(core, request));
      return await written(
        core,
        request,
        verb === "update"
          ? await update(core, request, subresource)
          : await patch(core, request, subresource),
      );
    case "scale":
      return await serveScale(core, request, { scale: subresource, verb });
    case "action":
      if (verb !== "create") throw noSuchMethod();
      return await act(core, request, subresource);
    case "connect":
      if (!subresource.verbs.some((known) => known === verb)) throw noSuchMethod();
      return await connect(core, request, { subresource, sent });
  }
}

async function serveScale(
  core: Core,
  request: ResourceRequest,
  { scale, verb }: { readonly scale: ScaleSubresource; readonly verb: string },
): Promise<ApiResponse> {
  switch (verb) {
    case "get":
      return await objectResponse(request, 200, await getScale(core, request, scale));
    case "update":
      return await objectResponse(request, 200, await updateScale(core, request, scale));
    case "patch":
      return await objectResponse(request, 200, await patchScale(core, request, scale));
    default:
      throw noSuchMethod();
  }
}

async function act(
  core: Core,
  request: ResourceRequest,
  { body, olderVersions, run }: ActionSubresource,
): Promise<ApiResponse> {
  const { namespace, name } = request;
  const options = writeOptions(request.query, "CreateOptions");
  const { fieldValidation } = options;
  const object = await decodeBody(core, request, { expected: body, olderVersions, fieldValidation });
  // Each action checks the name, in words of its own.
  const { namespace: sentNamespace = "" } = object.metadata;
  if (sentNamespace !== "" && sentNamespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  const scope = scopeOf(core, request, options);
  const admission = admissionOf(scope, "CREATE", body);
  await admission.admit(object, undefined);
  await admission.validate(object, undefined);
  const answer = await run({ namespace, name }, object, contextOf(scope));
  return await objectResponse(request, answer.status, answer.object);
}

async function connect(
  core: Core,
  request: ResourceRequest,
  { subresource, sent }: { readonly subresource: ConnectSubresource; readonly sent: ApiRequest },
): Promise<ApiResponse> {
  if (subresource.connect === undefined) throw badRequest("Upgrade request required");
  await admitConnection(core, request, subresource);
  const { name, query, resource } = request;
  const version = await get(core, { ...request, name: subresource.objectName?.(name) ?? name });
  const { object } = version.as(resource);
  return await subresource.connect({ name, object, objects: core.objects, query }, sent);
}
