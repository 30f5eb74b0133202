import { notFound, type ApiRequest, type ApiResponse } from "@kedge/machinery";
import type { StoredApiObject, Subresource, Verb } from "../registry/types.ts";
import type { Ask } from "../request/ask.ts";
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
import { serveSubresource } from "./serve-subresource.ts";

/** Answers a request for a resource, by its verb. Throws a `StatusError`. */
export async function serveResource(ask: Ask, verb: string, request: ApiRequest): Promise<ApiResponse> {
  const { resource, subresource } = ask;
  checkPlace(ask, verb);
  if (subresource !== "") {
    const found: Subresource | undefined = resource.subresources.get(subresource);
    if (found === undefined)
      throw resource.custom === undefined ? noSuchResource() : notFound(resource, ask.name);
    return await serveSubresource(ask, found, { verb, request });
  }
  // Of what cannot be listed either, a watch is told by the verb itself.
  const asked = verb === "watch" && !resource.verbs.includes("watch") ? "list" : verb;
  if (!resource.verbs.some((known: Verb) => known === asked)) throw noSuchMethod();
  switch (verb) {
    case "get":
      return versionResponse(ask, await get(ask));
    case "list":
      return await listResponse(ask, await list(ask));
    case "watch":
      return await watch(ask);
    case "create":
      return await answered(ask, 201, await create(ask));
    case "update": {
      const { object, created } = await update(ask);
      return await answered(ask, created ? 201 : 200, object);
    }
    case "patch": {
      const { object, created } = await patch(ask);
      return await answered(ask, created ? 201 : 200, object);
    }
    case "delete":
      return objectResponse(ask, 200, await remove(ask));
    case "deletecollection":
      return await listResponse(ask, await removeCollection(ask));
    default:
      throw noSuchMethod();
  }
}

async function answered(ask: Ask, status: number, object: StoredApiObject): Promise<ApiResponse> {
  await ask.pause();
  return objectResponse(ask, status, object);
}

/** A kind in namespaces is only in them; what is above them lists and watches, no more. */
function checkPlace({ resource, namespace, name, subresource }: Ask, verb: string): void {
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
