import {
  alreadyExists,
  clone,
  formatTime,
  generateName,
  generateNameConflict,
  StatusError,
  statusFailure,
  statusOf,
  uid,
} from "@kedge/machinery";
import type { ApiObject, StoredApiObject } from "../registry/types.ts";
import { convertVersions } from "../storage/convert-versions.ts";
import { keyFor } from "../storage/keys.ts";
import { errorsOf } from "./errors-of.ts";
import { shownObject } from "./hidden-fields.ts";
import { contextOf, type WriteScope } from "./scope.ts";
import { placeInNamespace } from "./place-in-namespace.ts";
import { refused } from "./refused.ts";
import { storeObject } from "./store-object.ts";
import { validateMetadata } from "./validate-metadata.ts";
import { admissionOf, type WriteAdmission } from "./write-admission.ts";

/** A create. */
export interface Creation {
  /** Of the path; empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** The decoded object, which belongs to the creation. */
  readonly object: ApiObject;
  /** Gives a defaulted object its managedFields. */
  readonly manage: (object: ApiObject) => ApiObject | Promise<ApiObject>;
}

/** So often another name is tried for an object with `generateName`. */
const nameTries = 8;

/** Creates an object: names it, fills it in, checks it, stores it. Throws a `StatusError`. */
export async function createObject(scope: WriteScope, creation: Creation): Promise<StoredApiObject> {
  const admission = admissionOf(scope, "CREATE");
  const { sentVersion, object } = await admitted(scope, creation, admission);
  const { generateName: base = "", name = "" } = object.metadata;
  if (name !== "" || base === "") return await createNamed(scope, { object, sentVersion, admission });
  for (let tried = 1; ; tried++) {
    const candidate = generateName(base, scope.core.random);
    const named = clone(object);
    named.metadata.name = candidate;
    try {
      return await createNamed(scope, { object: named, sentVersion, admission });
    } catch (error) {
      if (statusOf(error).reason !== "AlreadyExists") throw error;
      if (tried === nameTries) throw generateNameConflict(scope.resource, candidate, 1);
    }
  }
}

/** The object with its defaults and its managers, as the mutating half of admission leaves it. */
async function admitted(
  scope: WriteScope,
  { namespace, object: decoded, manage }: Creation,
  admission: WriteAdmission,
): Promise<Omit<Named, "admission">> {
  const { resource, pause } = scope;
  const { strategy } = resource;
  placeInNamespace(decoded, namespace, scope);
  dropServerFields(decoded);
  resource.custom?.default(decoded);
  strategy.default?.(decoded);
  await pause();
  const sentVersion = decoded.metadata.resourceVersion ?? "";
  const object = await manage(decoded);
  await pause();
  await admission.admit(object, undefined);
  // A webhook may have moved it.
  placeInNamespace(object, namespace, scope);
  await pause();
  return { object, sentVersion };
}

interface Named {
  readonly object: ApiObject;
  /** The resourceVersion that the creator sent. */
  readonly sentVersion: string;
  readonly admission: WriteAdmission;
}

async function createNamed(
  scope: WriteScope,
  { object, sentVersion, admission }: Named,
): Promise<StoredApiObject> {
  const { core, resource, pause } = scope;
  const { strategy } = resource;
  const context = contextOf(scope);
  fillMetadata(object, scope);
  strategy.prepareForCreate?.(object, context);
  strategy.allocate?.(object, undefined, context);
  // Before the defaults of what was just filled in: labels that a Job gets of its template are not its writer's.
  const errors = validateMetadata(object.metadata, resource);
  await pause();
  strategy.default?.(object);
  await pause();
  for (const error of await errorsOf(strategy.validate?.(object), pause)) errors.push(error);
  await pause();
  const { name = "", namespace = "" } = object.metadata;
  if (errors.length > 0) throw refused(resource, name, errors);
  for (const text of strategy.warnings?.(object, undefined) ?? []) context.warn(text);
  await admission.validate(object, undefined);
  if (/^[1-9]\d*$/u.test(sentVersion)) throw versionOnCreate();
  resource.custom?.settle?.(object);
  await pause();

  const key = keyFor(resource, { namespace, name });
  if (scope.dryRun) {
    if (core.storage.cache(resource.storage).get(key) !== undefined) throw await takenName(scope, key, name);
    return shownObject(object, resource);
  }
  const stored = await storeObject(scope, object, { key, expected: 0, ttl: strategy.ttl });
  if (stored === undefined) throw await takenName(scope, key, name);
  return stored;
}

async function takenName({ core, resource }: WriteScope, key: string, name: string): Promise<StatusError> {
  const error = alreadyExists(resource, name);
  const version = core.storage.cache(resource.storage).get(key);
  await convertVersions(version === undefined ? [] : [version], resource);
  const found = version?.as(resource).object;
  if (found?.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}

/** Nobody creates what is already deleted. */
function dropServerFields({ metadata }: ApiObject): void {
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** What only the server says of an object. */
function fillMetadata(object: ApiObject, { core, resource }: WriteScope): void {
  const { metadata } = object;
  metadata.uid = uid(core.random.uuid());
  metadata.creationTimestamp = formatTime(core.clock.now());
  delete metadata.resourceVersion;
  if (["late", "none"].includes(String(resource.strategy.generation))) delete metadata.generation;
  else metadata.generation = 1;
}

function versionOnCreate(): StatusError {
  return statusFailure({ message: "resourceVersion should not be set on objects to be created", code: 500 });
}
