import type { ApiResponse } from "@kedge/machinery";
import type { Core } from "../core.ts";
import type { Review } from "../registry/types.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { header, type ResourceRequest } from "../request/resource-request.ts";
import { objectResponse } from "../response/object-response.ts";
import { noSuchMethod } from "../response/status-response.ts";
import { decodeBody } from "../verbs/decode-body.ts";
import { placeInNamespace } from "../write/place-in-namespace.ts";
import { trackWrite } from "../write/managed-fields.ts";
import { contextOf, scopeOf } from "../write/scope.ts";
import { admissionOf } from "../write/write-admission.ts";

/** Answers what is sent to be answered, and never stored. Throws a `StatusError`. */
export async function serveReview(
  core: Core,
  request: ResourceRequest,
  { verb, review }: { readonly verb: string; readonly review: Review },
): Promise<ApiResponse> {
  if (verb !== "create") throw noSuchMethod();
  const { resource, namespace } = request;
  const options = writeOptions(request.query, "CreateOptions");
  const { fieldManager, fieldValidation } = options;
  const object = await decodeBody(core, request, { expected: resource, fieldValidation });
  const scope = scopeOf(core, request, options);
  placeInNamespace(object, namespace, scope);
  resource.strategy.default?.(object);
  const manager = managerOf(fieldManager, header(request, "user-agent"));
  const managed = await trackWrite(scope, undefined, object, { manager, subresource: "" });
  const admission = admissionOf(scope, "CREATE");
  await admission.admit(managed, undefined);
  await admission.validate(managed, undefined);
  const answer = await review(managed, contextOf(scope));
  if (answer.kind === resource.kind) resource.strategy.default?.(answer);
  return await objectResponse(request, 201, answer);
}
