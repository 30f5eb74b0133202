import { apiVersionOf, methodNotSupported, notFound, type ApiResponse } from "@kedge/machinery";
import type { Core } from "../core.ts";
import type { Computed } from "../registry/types.ts";
import { listOptions } from "../request/list-options.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { objectResponse, valueResponse } from "../response/object-response.ts";
import { noSuchMethod } from "../response/status-response.ts";
import { listTransform } from "../response/transform.ts";

/** Answers a request for what is not stored but found out when somebody asks. Throws a `StatusError`. */
export async function serveComputed(
  { objects }: Pick<Core, "objects">,
  request: ResourceRequest,
  { verb, computed }: { readonly verb: string; readonly computed: Computed },
): Promise<ApiResponse> {
  const { resource, namespace, name } = request;
  if (verb === "get") {
    const [found] = await computed(objects, { namespace, name });
    if (found === undefined) throw notFound(resource, name);
    return await objectResponse(request, 200, found);
  }
  if (verb === "watch") throw methodNotSupported(resource, verb);
  if (verb !== "list") throw noSuchMethod();
  const { selection } = listOptions(request.query, resource, false);
  const all = await computed(objects, { namespace, name: "" });
  const shown = all.filter((object) => selection.isEverything || selection.matches(object));
  const { as } = request.form;
  if (as === undefined) {
    // Items of built-in kinds do not say what they are.
    const items = shown.map((object) => ({ ...object, apiVersion: undefined, kind: undefined }));
    const list = { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata: {}, items };
    return await valueResponse(request, 200, list);
  }
  const { shell, item } = listTransform(request, { as, metadata: {} });
  const field = as.kind === "Table" ? "rows" : "items";
  return await valueResponse(request, 200, { ...shell, [field]: shown.map(item) });
}
