import {
  fieldForbidden,
  invalid,
  statusFailure,
  unsupportedMediaType,
  type StatusError,
} from "@kedge/machinery";
import type { ApiObject, PartSubresource, StoredApiObject } from "../registry/types.ts";
import { parseMediaType } from "../request/accept.ts";
import { header, scopeOf, type Ask } from "../request/ask.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { defaultKeepingManagers } from "../write/default-object.ts";
import { trackWrite } from "../write/managed-fields.ts";
import { updateObject, type Updated } from "../write/update-object.ts";
import { apply } from "./apply.ts";
import { checkNames } from "./check-names.ts";
import { patcherOf } from "./patchers.ts";

/** PATCH: changes an object, or a part of it, as the body says. Throws a `StatusError`. */
export async function patch(ask: Ask, part?: PartSubresource): Promise<Updated> {
  const type = patchType(ask);
  return type === applyType ? await apply(ask, part) : await change(ask, type, part);
}

const applyType = "application/apply-patch+yaml";
const strategicType = "application/strategic-merge-patch+json";
const patchTypes = ["application/json-patch+json", "application/merge-patch+json", strategicType, applyType];

/** The type of the patch. Throws a 415: of built-in kinds the router in front of Kubernetes does, in its own words. */
export function patchType(ask: Ask): string {
  const { type } = parseMediaType(header(ask, "content-type"));
  if (ask.resource.custom === undefined) {
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

async function change(ask: Ask, type: string, part: PartSubresource | undefined): Promise<Updated> {
  const { namespace, name, resource, core } = ask;
  const { dryRun, fieldManager, fieldValidation } = writeOptions(ask.query, "PatchOptions");
  if (ask.query.has("force")) throw forceWithoutApply();
  const scope = scopeOf(ask, dryRun);
  const write = { manager: managerOf(fieldManager, header(ask, "user-agent")), subresource: ask.subresource };
  const patcher = patcherOf(type, ask);
  const options = {
    table: core.table,
    yaml: core.yaml,
    expected: resource,
    custom: resource.custom,
    fieldValidation,
    warn: ask.warn,
  };
  const patched = async (current: StoredApiObject): Promise<ApiObject> => {
    await ask.pause();
    const object = await patcher(current, options);
    checkNames(ask, object);
    await ask.pause();
    defaultKeepingManagers(resource, object);
    await ask.pause();
    return await trackWrite(scope, current, object, write);
  };
  const object = await updateObject(scope, { key: { namespace, name }, part, change: patched });
  return { object, created: false };
}

function forceWithoutApply(): StatusError {
  return invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", [
    fieldForbidden("force", "may not be specified for non-apply patch"),
  ]);
}
