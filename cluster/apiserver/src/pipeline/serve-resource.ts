import { notFound, type ApiRequest, type ApiResponse } from "@kedge/machinery";
import type { Subresource, Verb } from "../registry/types.ts";
import type { Core } from "../core.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { listResponse } from "../response/list-response.ts";
import { objectResponse, versionResponse } from "../response/object-response.ts";
import { noSuchMethod, noSuchResource } from "../response/status-response.ts";
import { create } from "../verbs/create.ts";
import { removeCollection } from "../verbs/delete-collection.ts";
import { remove } from "../verbs/delete.ts";
import { get } from "../verbs/get.ts";
import { list } from "../verbs/list.ts";
import { patch } from "../verbs/patch.ts";
import { update } from "../verbs/update.ts";
import { watch } from "../verbs/watch.ts";
import { serveReview } from "./serve-review.ts";
import { serveComputed } from "./serve-computed.ts";
import { serveSubresource } from "./serve-subresource.ts";
import { written } from "./written.ts";

/** How a request was sent. */
export interface Sending {
  readonly verb: string;
  readonly sent: ApiRequest;
}

/** Answers a request for a resource, by its verb. Throws a `StatusError`. */
export async function serveResource(
  core: Core,
  request: ResourceRequest,
  { verb, sent }: Sending,
): Promise<ApiResponse> {
  const { resource, subresource } = request;
  checkPlace(request, verb);
  if (subresource !== "") {
    const found: Subresource | undefined = resource.subresources.get(subresource);
    if (found === undefined)
      throw resource.custom === undefined ? noSuchResource() : notFound(resource, request.name);
    return await serveSubresource(core, request, { subresource: found, verb, sent });
  }
  if (resource.computed !== undefined)
    return await serveComputed(core, request, { verb, computed: resource.computed });
  if (resource.review !== undefined)
    return await serveReview(core, request, { verb, review: resource.review });
  // Of what cannot be listed either, a watch is told by the verb itself.
  const asked = verb === "watch" && !resource.verbs.includes("watch") ? "list" : verb;
  if (!resource.verbs.some((known: Verb) => known === asked)) throw noSuchMethod();
  switch (verb) {
    case "get":
      return await versionResponse(request, await get(core, request));
    case "list":
      return await listResponse(request, await list(core, request), core.turns);
    case "watch":
      return await watch(core, request);
    case "create":
      return await written(core, request, { object: await create(core, request), created: true });
    case "update":
      return await written(core, request, await update(core, request));
    case "patch":
      return await written(core, request, await patch(core, request));
    case "delete":
      return await objectResponse(request, 200, await remove(core, request));
    case "deletecollection":
      return await listResponse(request, await removeCollection(core, request), core.turns);
    default:
      throw noSuchMethod();
  }
}

/** A kind in namespaces is only in them; what is above them lists and watches, no more. */
function checkPlace({ resource, namespace, name, subresource }: ResourceRequest, verb: string): void {
  if (resource.scope === "Cluster") {
    if (namespace !== "") throw noSuchResource();
  } else if (namespace === "" && name !== "") {
    throw noSuchResource();
  } else if (namespace === "" && verb !== "list" && verb !== "watch") {
    throw noSuchMethod();
  }
  const onName = ["get", "update", "patch", "delete"].includes(verb);
  if (onName && name === "") throw noSuchMethod();
  if ((verb === "create" || verb === "deletecollection") && name !== "" && subresource === "")
    throw noSuchMethod();
}
