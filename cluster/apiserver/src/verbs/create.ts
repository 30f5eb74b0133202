import { decodeObject } from "../decode/decode-object.ts";
import type { StoredApiObject } from "../registry/types.ts";
import { header, scopeOf, type Ask } from "../request/ask.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { createObject } from "../write/create-object.ts";
import { trackWrite } from "../write/managed-fields.ts";

/** POST to a collection: creates what the body says. Throws a `StatusError`. */
export async function create(ask: Ask): Promise<StoredApiObject> {
  const { core, resource, namespace, warn } = ask;
  const { dryRun, fieldManager, fieldValidation } = writeOptions(ask.query, "CreateOptions");
  const object = await decodeObject(ask.body, header(ask, "content-type"), {
    table: core.table,
    yaml: core.yaml,
    expected: resource,
    custom: resource.custom,
    fieldValidation,
    warn,
    pause: ask.pause,
  });
  await ask.pause();
  const scope = scopeOf(ask, dryRun);
  const manager = managerOf(fieldManager, header(ask, "user-agent"));
  return await createObject(scope, {
    namespace,
    object,
    manage: (defaulted) => trackWrite(scope, undefined, defaulted, { manager, subresource: "" }),
  });
}
