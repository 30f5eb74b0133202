import {
  conflict,
  deepEqual,
  deepFreeze,
  fieldInvalid,
  invalid,
  isJsonObject,
  notFound,
  statusFailure,
  type FieldError,
  type ObjectKey,
  type ObjectMeta,
  type StatusError,
} from "@kedge/machinery";
import { keepTimes } from "@kedge/machinery/apply";
import type { ApiObject, PartSubresource, Resource, StoredApiObject } from "../registry/types.ts";
import { convertVersions } from "../storage/convert-versions.ts";
import { keyFor } from "../storage/keys.ts";
import type { ObjectVersion } from "../storage/object-version.ts";
import { withEmpty } from "./empty-maps.ts";
import { errorsOf } from "./errors-of.ts";
import { shownObject, storedObject } from "./hidden-fields.ts";
import { placeInNamespace } from "./place-in-namespace.ts";
import { contextOf, type WriteScope } from "./scope.ts";
import { refused } from "./refused.ts";
import { storeObject } from "./store-object.ts";
import { validateMetadata, validateMetadataUpdate } from "./validate-metadata.ts";
import { admissionOf, type WriteAdmission } from "./write-admission.ts";

/** An update of an object that exists. */
export interface Update {
  readonly key: ObjectKey;
  /**
   * Makes of the stored object what is to be stored instead: decoded, defaulted, with managedFields. It belongs to the
   * update, but for parts that are frozen. Undefined leaves it. Called again when another writer was faster.
   */
  readonly change: (current: StoredApiObject) => ApiObject | undefined | Promise<ApiObject | undefined>;
  /** The part that is written, when it is not the object itself. */
  readonly part?: PartSubresource | undefined;
  /** Maps that were sent empty where that counts (`Strategy.emptyCounts`), for what the last `change` returned. */
  readonly emptied?: () => readonly string[];
  /** How admission is asked, when it is not shown the object as it is stored (`scale`). */
  readonly admission?: WriteAdmission;
  /** Whether the uid that was sent says which object is meant (PUT). */
  readonly replaces?: boolean;
}

/** What an update has led to; `created` never by this file, but by those who create when there is nothing. */
export interface Updated {
  readonly object: StoredApiObject;
  readonly created: boolean;
}

/** Other writers may be faster so often. */
const maxTries = 100;

/** Changes an object. Throws a `StatusError`: 404, 409 or 422. */
export async function updateObject(scope: WriteScope, update: Update): Promise<StoredApiObject> {
  const { core, resource } = scope;
  const key = keyFor(resource, update.key);
  const admission = update.admission ?? admissionOf(scope, "UPDATE");
  for (let tried = 0; tried < maxTries; tried++) {
    const version = core.storage.cache(resource.storage).get(key);
    if (version === undefined) throw notFound(resource, update.key.name);
    await convertVersions([version], resource);
    const current = storedObject(version, resource);
    await scope.pause();
    const candidate = await update.change(current);
    if (candidate === undefined) return version.as(resource).object;
    const { resourceVersion: sent = "" } = candidate.metadata;
    const object = await prepareUpdate(scope, {
      replaces: false,
      part: undefined,
      ...update,
      emptied: update.emptied?.() ?? [],
      admission,
      candidate,
      current,
    });
    const stored = await store(scope, { object, current, version });
    if (stored !== undefined) return stored;
    // Who took over the version that he was shown may be shown another.
    if (sent !== "" && sent !== current.metadata.resourceVersion) break;
  }
  throw conflict(resource, update.key.name);
}

interface Preparation {
  readonly candidate: ApiObject;
  readonly current: StoredApiObject;
  readonly part: PartSubresource | undefined;
  readonly replaces: boolean;
  readonly emptied: readonly string[];
  readonly admission: WriteAdmission;
}

/** Everything between a writer's wish and what is stored. */
async function prepareUpdate(
  scope: WriteScope,
  { candidate: object, current, part, replaces, emptied, admission }: Preparation,
): Promise<ApiObject> {
  const { resource, pause } = scope;
  const { strategy } = resource;
  const context = contextOf(scope);
  await pause();
  await admission.admit(object, current);
  // A webhook may have moved it.
  placeInNamespace(object, scope.namespace, scope);
  await pause();
  checkVersion(scope, object, { current, replaces });
  keepMetadata(object, current);
  if (part === undefined) strategy.prepareForUpdate?.(object, current, context);
  else part.prepareForUpdate(object, current, context);
  if (part === undefined) strategy.allocate?.(object, current, context);
  await pause();
  strategy.default?.(object);
  await pause();
  const errors = validateMetadata(object.metadata, resource);
  await pause();
  for (const error of validateMetadataUpdate(object.metadata, current.metadata)) errors.push(error);
  await pause();
  const warn = (text: string): void => context.warn(text);
  const sent = emptied.length === 0 ? object : withEmpty(object, emptied);
  for (const error of await validatePart(sent, current, { part, scope, warn })) errors.push(error);
  await pause();
  if (errors.length > 0) throw refused(resource, object.metadata.name ?? "", errors);
  if (part?.keepsGeneration !== true) moveGeneration(object, current, scope);
  // Who writes a part is told of that alone.
  if (part === undefined) for (const text of strategy.warnings?.(object, current) ?? []) context.warn(text);
  await admission.validate(object, current);
  await pause();
  const kept = keepTimes(current, object);
  await pause();
  if (isJsonObject(kept["metadata"])) object.metadata = kept["metadata"];
  resource.custom?.settle?.(object);
  return object;
}

async function validatePart(
  object: StoredApiObject,
  current: StoredApiObject,
  {
    part,
    scope,
    warn,
  }: { part: PartSubresource | undefined; scope: WriteScope; warn: (text: string) => void },
): Promise<readonly FieldError[]> {
  const { strategy } = scope.resource;
  const validate = part?.validate ?? strategy.validate;
  const validateUpdate = part === undefined ? strategy.validateUpdate : part.validateUpdate;
  const errors = await errorsOf(validate?.(object, current, warn), scope.pause);
  return [...errors, ...(await errorsOf(validateUpdate?.(object, current, warn), scope.pause))];
}

function checkVersion(
  { resource }: WriteScope,
  object: ApiObject,
  { current, replaces }: { current: StoredApiObject; replaces: boolean },
): void {
  const name = current.metadata.name ?? "";
  const { resourceVersion: sent = "", uid: sentUid } = object.metadata;
  const isUnset = sent === "" || sent === "0";
  if (replaces && sentUid !== undefined && sentUid !== current.metadata.uid)
    throw uidConflict(resource, { uid: sentUid, found: current.metadata });
  if (!/^\d*$/u.test(sent)) throw noVersion(sent);
  if (isUnset && resource.strategy.unconditionalUpdate === false) {
    const kind = { group: resource.group, kind: resource.plural };
    throw invalid(kind, name, [
      fieldInvalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  }
  if (!isUnset && sent !== current.metadata.resourceVersion) throw conflict(resource, name);
  object.metadata.resourceVersion = current.metadata.resourceVersion;
}

/** 409: another object has that name by now. */
export function uidConflict(
  resource: Resource,
  { uid, found }: { readonly uid: string; readonly found: Readonly<ObjectMeta> },
): StatusError {
  const { name = "", namespace } = found;
  const key = keyFor({ ...resource, storage: etcdPrefix(resource) }, { namespace, name });
  return conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found.uid ?? ""}`,
  );
}

/** Where kube-apiserver has objects, which messages tell: built-in kinds are not below their group. */
function etcdPrefix({ custom, storage, plural }: Resource): string {
  return custom === undefined ? plural : storage;
}

function noVersion(sent: string): StatusError {
  return statusFailure({
    message: `strconv.ParseUint: parsing ${JSON.stringify(sent)}: invalid syntax`,
    code: 500,
  });
}

/** What an update leaves out, and what it cannot take away. */
function keepMetadata({ metadata }: ApiObject, { metadata: previous }: StoredApiObject): void {
  metadata.uid ??= previous.uid;
  metadata.creationTimestamp = previous.creationTimestamp;
  if (previous.namespace !== undefined) metadata.namespace ??= previous.namespace;
  delete metadata.selfLink;
  if (previous.generation === undefined) delete metadata.generation;
  else metadata.generation = previous.generation;
  if (previous.deletionTimestamp !== undefined) metadata.deletionTimestamp = previous.deletionTimestamp;
  if (previous.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= previous.deletionGracePeriodSeconds;
}

function moveGeneration(object: ApiObject, current: StoredApiObject, { resource }: WriteScope): void {
  const { generation = "spec" } = resource.strategy;
  if (generation === "none") return;
  const moves = typeof generation === "function" ? generation(object, current) : !isSameSpec(object, current);
  if (!moves) return;
  object.metadata.generation = current.metadata.generation ?? 0;
  object.metadata.generation++;
}

/** Whether everything but metadata and status is the same. */
function isSameSpec(object: StoredApiObject, current: StoredApiObject): boolean {
  const { metadata: _, status: __, ...now } = object;
  const { metadata: ___, status: ____, ...before } = current;
  return deepEqual(now, before);
}

interface Storing {
  readonly object: ApiObject;
  readonly current: StoredApiObject;
  readonly version: ObjectVersion;
}

/** Stores it; or removes it when only its finalizers kept it. Undefined when another writer was faster. */
async function store(
  scope: WriteScope,
  { object, current, version }: Storing,
): Promise<StoredApiObject | undefined> {
  const { core, resource, dryRun, pause } = scope;
  const goes = isDone(object, scope);
  if (!goes && deepEqual(object, current)) return version.as(resource).object;
  if (dryRun) return shownObject(object, resource);
  await pause();
  const { key, revision: expected, lease } = version;
  if (!goes) return await storeObject(scope, object, { key, expected, lease, ttl: resource.strategy.ttl });
  const revision = await core.storage.write({ key, expected, value: undefined });
  if (revision === undefined) return undefined;
  await pause();
  deepFreeze(object);
  resource.strategy.removed?.(object);
  return object;
}

/** Whether nothing holds an object any more that was deleted. */
function isDone({ metadata, ...object }: ApiObject, { resource }: WriteScope): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    resource.strategy.holdsDeletion?.({ metadata, ...object }) !== true
  );
}
