import { badRequest, type ApiRequest, type ApiResponse } from "@kedge/machinery";
import { decodeObject } from "../decode/decode-object.ts";
import type {
  ActionSubresource,
  ConnectSubresource,
  ScaleSubresource,
  Subresource,
} from "../registry/types.ts";
import { header, scopeOf, type Ask } from "../request/ask.ts";
import { writeOptions } from "../request/query.ts";
import { objectResponse, versionResponse } from "../response/object-response.ts";
import { noSuchMethod } from "../response/status-response.ts";
import { get } from "../verbs/get.ts";
import { patch } from "../verbs/patch.ts";
import { getScale, patchScale, updateScale } from "../verbs/scale.ts";
import { update } from "../verbs/update.ts";
import { contextOf } from "../write/scope.ts";

/** What is asked of a subresource. */
export interface SubresourceAsk {
  readonly verb: string;
  readonly request: ApiRequest;
}

/** Answers a request for a path below an object. Throws a `StatusError`. */
export async function serveSubresource(
  ask: Ask,
  subresource: Subresource,
  { verb, request }: SubresourceAsk,
): Promise<ApiResponse> {
  switch (subresource.type) {
    case "part":
      if (!subresource.verbs.some((known) => known === verb)) throw noSuchMethod();
      if (verb === "get") return versionResponse(ask, await get(ask));
      return objectResponse(
        ask,
        200,
        (verb === "update" ? await update(ask, subresource) : await patch(ask, subresource)).object,
      );
    case "scale":
      return await serveScale(ask, subresource, verb);
    case "action":
      if (verb !== "create") throw noSuchMethod();
      return await act(ask, subresource);
    case "connect":
      if (!subresource.verbs.some((known) => known === verb)) throw noSuchMethod();
      return await connect(ask, subresource, request);
  }
}

async function serveScale(ask: Ask, scale: ScaleSubresource, verb: string): Promise<ApiResponse> {
  switch (verb) {
    case "get":
      return objectResponse(ask, 200, await getScale(ask, scale));
    case "update":
      return objectResponse(ask, 200, await updateScale(ask, scale));
    case "patch":
      return objectResponse(ask, 200, await patchScale(ask, scale));
    default:
      throw noSuchMethod();
  }
}

async function act(ask: Ask, { body, run }: ActionSubresource): Promise<ApiResponse> {
  const { core, namespace, name, warn } = ask;
  const { dryRun, fieldValidation } = writeOptions(ask.query, "CreateOptions");
  const object = await decodeObject(ask.body, header(ask, "content-type"), {
    table: core.table,
    yaml: core.yaml,
    expected: body,
    fieldValidation,
    warn,
  });
  // Each action checks the name, in words of its own.
  const { namespace: sentNamespace = "" } = object.metadata;
  if (sentNamespace !== "" && sentNamespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  const answer = await run({ namespace, name }, object, contextOf(scopeOf(ask, dryRun)));
  return objectResponse(ask, answer.status, answer.object);
}

async function connect(ask: Ask, subresource: ConnectSubresource, request: ApiRequest): Promise<ApiResponse> {
  if (subresource.connect === undefined) throw badRequest("Upgrade request required");
  const version = await get(ask);
  const { object } = version.as(ask.resource);
  return await subresource.connect({ object, objects: ask.core.objects, query: ask.query }, request);
}
