import {
  fieldForbidden,
  invalid,
  statusFailure,
  unsupportedMediaType,
  type StatusError,
} from "@kedge/machinery";
import type { BodyReaders } from "../decode/parse-body.ts";
import type { ApiObject, PartSubresource, StoredApiObject } from "../registry/types.ts";
import { keepAllBut } from "../registry/keep-fields.ts";
import { parseMediaType } from "../request/accept.ts";
import { header, type ResourceRequest } from "../request/resource-request.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { defaultKeepingManagers } from "../write/default-object.ts";
import { trackWrite } from "../write/managed-fields.ts";
import { emptyMaps } from "../write/empty-maps.ts";
import { scopeOf, type WriteCore } from "../write/scope.ts";
import { updateObject, type Updated } from "../write/update-object.ts";
import { apply } from "./apply.ts";
import { checkNames } from "./check-names.ts";
import { patcherOf } from "./patchers.ts";

/** PATCH: changes an object, or a part of it, as the body says. Throws a `StatusError`. */
export async function patch(
  core: WriteCore & BodyReaders,
  request: ResourceRequest,
  part?: PartSubresource,
): Promise<Updated> {
  const type = patchType(request);
  return type === applyType ? await apply(core, request, part) : await change(core, request, { type, part });
}

const applyType = "application/apply-patch+yaml";
const strategicType = "application/strategic-merge-patch+json";
const patchTypes = ["application/json-patch+json", "application/merge-patch+json", strategicType, applyType];

/** The type of the patch. Throws a 415: of built-in kinds the router in front of Kubernetes does, in its own words. */
export function patchType(request: ResourceRequest): string {
  const { type } = parseMediaType(header(request, "content-type"));
  if (request.resource.custom === undefined) {
    if (!patchTypes.includes(type)) throw unknownPatchType();
    return type;
  }
  const types = patchTypes.filter((each) => each !== strategicType);
  if (!types.includes(type)) throw unsupportedMediaType(types);
  return type;
}

function unknownPatchType(): StatusError {
  return statusFailure({
    message: "415: Unsupported Media Type",
    reason: "UnsupportedMediaType",
    details: {},
    code: 415,
  });
}

async function change(
  core: WriteCore & BodyReaders,
  request: ResourceRequest,
  { type, part }: { readonly type: string; readonly part: PartSubresource | undefined },
): Promise<Updated> {
  const { namespace, name, resource } = request;
  const options = writeOptions(request.query, "PatchOptions");
  const { fieldManager, fieldValidation } = options;
  if (request.query.has("force")) throw forceWithoutApply();
  const scope = scopeOf(core, request, options);
  const write = {
    manager: managerOf(fieldManager, header(request, "user-agent")),
    subresource: request.subresource,
  };
  const patcher = patcherOf(type, request, part);
  const decoding = {
    table: core.table,
    yaml: core.yaml,
    expected: resource,
    custom: resource.custom,
    fieldValidation,
    warn: request.warn,
  };
  let emptied: readonly string[] = [];
  const patched = async (current: StoredApiObject): Promise<ApiObject> => {
    await request.pause();
    const object = await patcher(current, decoding);
    if (part?.writes !== undefined) keepAllBut(object, current, part.writes);
    checkNames(request, object);
    await request.pause();
    emptied = emptyMaps(object, resource);
    defaultKeepingManagers(resource, object);
    await request.pause();
    return await trackWrite(scope, current, object, write);
  };
  const object = await updateObject(scope, {
    key: { namespace, name },
    part,
    change: patched,
    emptied: () => emptied,
  });
  return { object, created: false };
}

function forceWithoutApply(): StatusError {
  return invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", [
    fieldForbidden("force", "may not be specified for non-apply patch"),
  ]);
}
