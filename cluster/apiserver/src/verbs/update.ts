import { clone } from "@kedge/machinery";
import type { BodyReaders } from "../decode/parse-body.ts";
import { keepAllBut } from "../registry/keep-fields.ts";
import type { PartSubresource } from "../registry/types.ts";
import { header, type ResourceRequest } from "../request/resource-request.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { keyFor } from "../storage/keys.ts";
import { createObject } from "../write/create-object.ts";
import { trackWrite } from "../write/managed-fields.ts";
import { defaultKeepingManagers } from "../write/default-object.ts";
import { emptyMaps } from "../write/empty-maps.ts";
import { scopeOf, type WriteCore } from "../write/scope.ts";
import { uidConflict, updateObject, type Updated } from "../write/update-object.ts";
import { checkNames } from "./check-names.ts";
import { decodeBody } from "./decode-body.ts";

/** PUT: the object, or a part of it, becomes what the body says. Throws a `StatusError`. */
export async function update(
  core: WriteCore & BodyReaders,
  request: ResourceRequest,
  part?: PartSubresource,
): Promise<Updated> {
  const { resource, namespace, name } = request;
  const options = writeOptions(request.query, "UpdateOptions");
  const { fieldManager, fieldValidation } = options;
  const object = await decodeBody(core, request, {
    expected: resource,
    custom: resource.custom,
    fieldValidation,
  });
  checkNames(request, object);
  await request.pause();
  const scope = scopeOf(core, request, options);
  const write = {
    manager: managerOf(fieldManager, header(request, "user-agent")),
    subresource: request.subresource,
  };
  const key = { namespace, name };
  if (part === undefined && resource.strategy.createOnUpdate === true && !exists(core, request)) {
    const { uid } = object.metadata;
    if (uid !== undefined) throw uidConflict(resource, { uid, found: { name, namespace } });
    request.checkCreate();
    delete object.metadata.resourceVersion;
    const created = await createObject(scope, {
      namespace,
      object,
      manage: (defaulted) => trackWrite(scope, undefined, defaulted, write),
    });
    return { object: created, created: true };
  }
  const emptied = emptyMaps(object, resource);
  defaultKeepingManagers(resource, object);
  await request.pause();
  const updated = await updateObject(scope, {
    key,
    part,
    replaces: true,
    emptied: () => emptied,
    change: async (current) => {
      const copy = clone(object);
      if (part?.writes !== undefined) keepAllBut(copy, current, part.writes);
      await request.pause();
      return await trackWrite(scope, current, copy, write);
    },
  });
  return { object: updated, created: false };
}

function exists({ storage }: WriteCore, { resource, namespace, name }: ResourceRequest): boolean {
  return storage.cache(resource.storage).get(keyFor(resource, { namespace, name })) !== undefined;
}
