import {
  badRequest,
  conflict,
  isAlreadyExists,
  isJsonObject,
  messageOf,
  statusFailure,
  type JsonObject,
  type StatusError,
} from "@kedge/machinery";
import { DecodeError } from "../decode/decode-error.ts";
import { checkValues } from "../decode/most-values.ts";
import type { BodyReaders } from "../decode/parse-body.ts";
import { parseApplied } from "../decode/parse-applied.ts";
import { fractionWords } from "../decode/go-place.ts";
import { checkTyped } from "../decode/typed-value.ts";
import type { ApiObject, PartSubresource, StoredApiObject } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { writeOptions, type WriteOptions } from "../request/query.ts";
import { flag } from "../request/target.ts";
import { keyFor } from "../storage/keys.ts";
import { createObject } from "../write/create-object.ts";
import { applyWrite } from "../write/managed-fields.ts";
import { emptyMaps } from "../write/empty-maps.ts";
import { scopeOf, type WriteCore } from "../write/scope.ts";
import { updateObject, type Updated } from "../write/update-object.ts";
import { checkNames } from "./check-names.ts";

/** PATCH of the type apply: the object has what the body says, and who said it is remembered. Throws a `StatusError`. */
export async function apply(
  core: WriteCore & BodyReaders,
  request: ResourceRequest,
  part?: PartSubresource,
): Promise<Updated> {
  const { namespace, name, resource } = request;
  const options = writeOptions(request.query, "PatchOptions", true);
  const { fieldManager } = options;
  const scope = scopeOf(core, request, options);
  const applied = await readApplied(core, request, options);
  await request.pause();
  const write = {
    manager: fieldManager,
    subresource: request.subresource,
    force: flag(request.query, "force"),
  };
  const exists =
    core.storage.cache(resource.storage).get(keyFor(resource, { namespace, name })) !== undefined;
  if (!exists && part === undefined) {
    const written = await applyWrite(scope, undefined, applied, write);
    await request.pause();
    const object = asTyped({ ...core, resource }, applied, written);
    await request.pause();
    checkNames(request, object);
    const { uid } = object.metadata;
    if (uid !== undefined) throw uidOfNothing(request, uid);
    delete object.metadata.resourceVersion;
    request.checkCreate();
    try {
      const made = await createObject(scope, { namespace, object, manage: (defaulted) => defaulted });
      return { object: made, created: true };
    } catch (error) {
      // Somebody was quicker: then it is there, and this is a change of it.
      if (!isAlreadyExists(error)) throw error;
    }
  }
  let emptied: readonly string[] = [];
  const change = async (current: StoredApiObject): Promise<ApiObject> => {
    const written = await applyWrite(scope, current, applied, write);
    await request.pause();
    const object = asTyped({ ...core, resource }, applied, written);
    await request.pause();
    checkNames(request, object);
    emptied = emptyMaps(object, resource);
    resource.custom?.default(object);
    resource.strategy.default?.(object);
    return object;
  };
  const key = { namespace, name };
  const object = await updateObject(scope, { key, part, change, emptied: () => emptied });
  return { object, created: false };
}

/** What was merged as JSON has to be of the kind's type, too. Throws a 500, as Kubernetes does. */
function asTyped(
  { table, resource }: Pick<BodyReaders, "table"> & Pick<ResourceRequest, "resource">,
  applied: Readonly<JsonObject>,
  object: ApiObject,
): ApiObject {
  checkValues(object);
  if (resource.custom !== undefined) {
    const entries = Object.entries(object.metadata).filter(
      ([, value]: readonly [string, unknown]) => !isEmpty(value),
    );
    return { ...object, metadata: Object.fromEntries(entries) };
  }
  const type = table.kind(resource);
  if (type === undefined) return object;
  try {
    checkTyped(table, type, object);
    return object;
  } catch (error) {
    const { group, version, kind } = resource;
    const { name = "" } = object.metadata;
    const { namespace = "" } = isJsonObject(applied["metadata"]) ? applied["metadata"] : {};
    const gvk = `${group}/${version}, Kind=${kind}`;
    const text = fractionWords(messageOf(error));
    const why = text.startsWith("illegal base64") ? `error decoding from json: ${text}` : text;
    const message = `failed to convert new object (${String(namespace)}/${name}; ${gvk}) to proper version: unable to convert unstructured object to ${gvk}: ${why}`;
    throw statusFailure({ message, code: 500, cause: error });
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function uidOfNothing({ resource, name }: ResourceRequest, uid: string): StatusError {
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(resource, name, why);
}

/** What is applied, as it was sent: apply itself holds it against the schema. */
export async function readApplied(
  { yaml }: BodyReaders,
  { body, warn }: ResourceRequest,
  { fieldValidation }: WriteOptions,
): Promise<Readonly<JsonObject>> {
  try {
    const { value, duplicates } = await parseApplied(new TextDecoder().decode(body), yaml);
    if (fieldValidation === "Strict" && duplicates.length > 0) {
      throw new DecodeError(
        `error converting YAML to JSON: yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`,
      );
    }
    if (fieldValidation === "Warn") for (const text of duplicates) warn(text);
    return value;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
}
