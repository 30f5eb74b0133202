import { badRequest, clone } from "@kedge/machinery";
import { decodeObject } from "../decode/decode-object.ts";
import type { ApiObject, PartSubresource } from "../registry/types.ts";
import { header, scopeOf, type Ask } from "../request/ask.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { keyFor } from "../storage/keys.ts";
import { createObject } from "../write/create-object.ts";
import { trackWrite } from "../write/managed-fields.ts";
import { defaultKeepingManagers } from "../write/default-object.ts";
import { uidConflict, updateObject, type Updated } from "../write/update-object.ts";

/** PUT: the object, or a part of it, becomes what the body says. Throws a `StatusError`. */
export async function update(ask: Ask, part?: PartSubresource): Promise<Updated> {
  const { core, resource, namespace, name, warn } = ask;
  const { dryRun, fieldManager, fieldValidation } = writeOptions(ask.query, "UpdateOptions");
  const object = decodeObject(ask.body, header(ask, "content-type"), {
    table: core.table,
    expected: resource,
    custom: resource.custom,
    fieldValidation,
    warn,
  });
  checkNames(ask, object);
  const scope = scopeOf(ask, dryRun);
  const write = { manager: managerOf(fieldManager, header(ask, "user-agent")), subresource: ask.subresource };
  const key = { namespace, name };
  if (part === undefined && resource.strategy.createOnUpdate === true && !exists(ask)) {
    const { uid } = object.metadata;
    if (uid !== undefined) throw uidConflict(resource, { uid, found: { name, namespace } });
    delete object.metadata.resourceVersion;
    const created = await createObject(scope, {
      namespace,
      object,
      manage: (defaulted) => trackWrite(scope, undefined, defaulted, write),
    });
    return { object: created, created: true };
  }
  defaultKeepingManagers(resource, object);
  const updated = await updateObject(scope, {
    key,
    part,
    replaces: true,
    change: (current) => trackWrite(scope, current, clone(object), write),
  });
  return { object: updated, created: false };
}

function checkNames({ resource, namespace, name }: Ask, { metadata }: ApiObject): void {
  const { name: sent = "", namespace: sentNamespace = "" } = metadata;
  if (sentNamespace !== "" && sentNamespace !== (resource.scope === "Namespaced" ? namespace : "")) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (resource.scope === "Namespaced") metadata.namespace = namespace;
  else delete metadata.namespace;
  if (sent === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (sent !== name) throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
}

function exists({ core, resource, namespace, name }: Ask): boolean {
  return core.storage.cache(resource.storage).get(keyFor(resource, { namespace, name })) !== undefined;
}
