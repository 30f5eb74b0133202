import type { BodyReaders } from "../decode/parse-body.ts";
import type { StoredApiObject } from "../registry/types.ts";
import { header, type ResourceRequest } from "../request/resource-request.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { createObject } from "../write/create-object.ts";
import { trackWrite } from "../write/managed-fields.ts";
import { scopeOf, type WriteCore } from "../write/scope.ts";
import { decodeBody } from "./decode-body.ts";

/** POST to a collection: creates what the body says. Throws a `StatusError`. */
export async function create(
  core: WriteCore & BodyReaders,
  request: ResourceRequest,
): Promise<StoredApiObject> {
  const { resource, namespace } = request;
  const options = writeOptions(request.query, "CreateOptions");
  const { fieldManager, fieldValidation } = options;
  const object = await decodeBody(core, request, {
    expected: resource,
    custom: resource.custom,
    fieldValidation,
  });
  await request.pause();
  const scope = scopeOf(core, request, options);
  const manager = managerOf(fieldManager, header(request, "user-agent"));
  return await createObject(scope, {
    namespace,
    object,
    manage: (defaulted) => trackWrite(scope, undefined, defaulted, { manager, subresource: "" }),
  });
}
