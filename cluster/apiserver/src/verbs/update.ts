import { clone } from "@kedge/machinery";
import { decodeObject } from "../decode/decode-object.ts";
import type { PartSubresource } from "../registry/types.ts";
import { header, scopeOf, type Ask } from "../request/ask.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { keyFor } from "../storage/keys.ts";
import { createObject } from "../write/create-object.ts";
import { trackWrite } from "../write/managed-fields.ts";
import { defaultKeepingManagers } from "../write/default-object.ts";
import { uidConflict, updateObject, type Updated } from "../write/update-object.ts";
import { checkNames } from "./check-names.ts";

/** PUT: the object, or a part of it, becomes what the body says. Throws a `StatusError`. */
export async function update(ask: Ask, part?: PartSubresource): Promise<Updated> {
  const { core, resource, namespace, name, warn } = ask;
  const { dryRun, fieldManager, fieldValidation } = writeOptions(ask.query, "UpdateOptions");
  const object = await decodeObject(ask.body, header(ask, "content-type"), {
    table: core.table,
    yaml: core.yaml,
    expected: resource,
    custom: resource.custom,
    fieldValidation,
    warn,
    pause: ask.pause,
  });
  checkNames(ask, object);
  await ask.pause();
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
  await ask.pause();
  const updated = await updateObject(scope, {
    key,
    part,
    replaces: true,
    change: async (current) => {
      const copy = clone(object);
      await ask.pause();
      return await trackWrite(scope, current, copy, write);
    },
  });
  return { object: updated, created: false };
}

function exists({ core, resource, namespace, name }: Ask): boolean {
  return core.storage.cache(resource.storage).get(keyFor(resource, { namespace, name })) !== undefined;
}
