import {
  badRequest,
  isJsonObject,
  StatusError,
  unsupportedMediaType,
  fieldRequired,
  invalid,
  type JsonObject,
} from "@kedge/machinery";
import { decodeParsed, type DecodeOptions } from "../decode/decode-object.ts";
import { parseYaml } from "../decode/parse-body.ts";
import type { ApiObject, PartSubresource, StoredApiObject } from "../registry/types.ts";
import { parseMediaType } from "../request/accept.ts";
import { header, scopeOf, type Ask } from "../request/ask.ts";
import { managerOf, writeOptions } from "../request/query.ts";
import { flag } from "../request/target.ts";
import { keyFor } from "../storage/keys.ts";
import { createObject } from "../write/create-object.ts";
import { applyWrite, trackWrite } from "../write/managed-fields.ts";
import { updateObject, type Updated } from "../write/update-object.ts";
import { patcherOf } from "./patchers.ts";

/** PATCH: changes an object, or a part of it, as the body says. Throws a `StatusError`. */
export async function patch(ask: Ask, part?: PartSubresource): Promise<Updated> {
  const { type } = parseMediaType(header(ask, "content-type"));
  if (!patchTypes.includes(type)) throw unknownPatchType();
  if (ask.resource.custom !== undefined && type === strategic) throw unsupportedMediaType(customPatchTypes);
  return type === apply ? await applyPatch(ask, part) : await changePatch(ask, type, part);
}

const apply = "application/apply-patch+yaml";
const strategic = "application/strategic-merge-patch+json";
const patchTypes = ["application/json-patch+json", "application/merge-patch+json", strategic, apply];
const customPatchTypes = patchTypes.filter((type) => type !== strategic);

/** The router in front of Kubernetes refuses it in its own words. */
function unknownPatchType(): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "415: Unsupported Media Type",
    reason: "UnsupportedMediaType",
    details: {},
    code: 415,
  });
}

async function changePatch(ask: Ask, type: string, part: PartSubresource | undefined): Promise<Updated> {
  const { namespace, name, resource } = ask;
  const { dryRun, fieldManager, fieldValidation } = writeOptions(ask.query, "PatchOptions");
  const scope = scopeOf(ask, dryRun);
  const write = { manager: managerOf(fieldManager, header(ask, "user-agent")), subresource: ask.subresource };
  const patcher = patcherOf(type, ask);
  const warned = new Set<string>();
  const warn = (text: string): void => {
    if (!warned.has(text)) ask.warn(text);
    warned.add(text);
  };
  const options = { ...decodeOptions(ask, fieldValidation), warn };
  const change = (current: StoredApiObject): ApiObject => {
    const patched = patcher(current, options);
    resource.custom?.default(patched);
    resource.strategy.default?.(patched);
    return trackWrite(scope, current, patched, write);
  };
  return { object: await updateObject(scope, { key: { namespace, name }, part, change }), created: false };
}

async function applyPatch(ask: Ask, part: PartSubresource | undefined): Promise<Updated> {
  const { namespace, name, resource, core } = ask;
  const { dryRun, fieldManager, fieldValidation } = writeOptions(ask.query, "PatchOptions");
  if (fieldManager === "") {
    throw invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", [
      fieldRequired("fieldManager", "is required for apply patch"),
    ]);
  }
  const scope = scopeOf(ask, dryRun);
  const applied = readApplied(ask, decodeOptions(ask, fieldValidation));
  const write = { manager: fieldManager, subresource: ask.subresource, force: flag(ask.query, "force") };
  const exists = core.storage.cache(resource.storage).get(keyFor(resource, { namespace, name })) !== undefined;
  const finish = (object: ApiObject): ApiObject => {
    resource.custom?.default(object);
    resource.strategy.default?.(object);
    return object;
  };
  if (!exists && part === undefined) {
    const { uid } = applied.metadata;
    if (uid !== undefined) throw uidOfNothing(ask, uid);
    const object = applyWrite(scope, undefined, applied, write);
    object.metadata.name = name;
    return { object: await createObject(scope, { namespace, object, manage: (defaulted) => defaulted }), created: true };
  }
  const change = (current: StoredApiObject): ApiObject => finish(applyWrite(scope, current, applied, write));
  return { object: await updateObject(scope, { key: { namespace, name }, part, change }), created: false };
}

function uidOfNothing({ resource, name }: Ask, uid: string): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    reason: "Conflict",
    details: { name, ...(resource.group !== "" && { group: resource.group }), kind: resource.plural },
    code: 409,
  });
}

function decodeOptions(ask: Ask, fieldValidation: DecodeOptions["fieldValidation"]): DecodeOptions {
  const { core, resource, warn } = ask;
  return { table: core.table, expected: resource, custom: resource.custom, fieldValidation, warn };
}

/** What is applied, as it was sent but for fields that do not exist. */
function readApplied(ask: Ask, options: DecodeOptions): ApiObject {
  const parsed = parseApplied(new TextDecoder().decode(ask.body));
  const value = structuredClone(parsed.value);
  checkApplied(ask, value);
  const { apiVersion: _, kind: __, ...rest } = decodeParsed({ ...parsed, value }, options);
  return { apiVersion: String(value["apiVersion"]), kind: String(value["kind"]), ...rest };
}

function parseApplied(text: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(text);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkApplied({ name, namespace, resource }: Ask, value: JsonObject): void {
  const metadata = isJsonObject(value["metadata"]) ? value["metadata"] : {};
  const sentName = metadata["name"] ?? "";
  if (sentName !== "" && sentName !== name)
    throw badRequest(`the name of the object (${String(sentName)}) does not match the name on the URL (${name})`);
  const sentNamespace = metadata["namespace"] ?? "";
  if (sentNamespace !== "" && sentNamespace !== (resource.scope === "Namespaced" ? namespace : ""))
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}
