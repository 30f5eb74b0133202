import {
  clone,
  conflict,
  deepFreeze,
  formatTime,
  notFound,
  parseTime,
  resourceVersion,
  type ObjectKey,
} from "@kedge/machinery";
import type { ApiObject, DeletePreferences, StoredApiObject } from "../registry/types.ts";
import { checkPreconditions } from "../registry/check-preconditions.ts";
import { convertVersions } from "../storage/convert-versions.ts";
import { keyFor } from "../storage/keys.ts";
import type { ObjectVersion } from "../storage/object-version.ts";
import { contextOf, type WriteScope } from "./scope.ts";
import { joinHidden } from "./hidden-fields.ts";
import { storeObject } from "./store-object.ts";
import { admissionOf } from "./write-admission.ts";

/** A deletion. */
export interface Deletion {
  readonly key: ObjectKey;
  readonly preferences: DeletePreferences;
}

/** What has become of an object: it is gone, or it waits for finalizers or for its grace period. */
export interface Deleted {
  readonly object: StoredApiObject;
  readonly gone: boolean;
}

const maxTries = 100;

/** Deletes an object, or marks it as deleted while something holds it. Throws a `StatusError`: 404 or 409. */
export async function deleteObject(
  scope: WriteScope,
  { key: objectKey, preferences }: Deletion,
): Promise<Deleted> {
  const { core, resource } = scope;
  const key = keyFor(resource, objectKey);
  for (let tried = 0; tried < maxTries; tried++) {
    const version = core.storage.cache(resource.storage).get(key);
    if (version === undefined) throw notFound(resource, objectKey.name);
    await convertVersions([version], resource);
    const current = version.as(resource).object;
    checkPreconditions(resource, current, preferences);
    const done = await deleteVersion(scope, { version, current, preferences });
    if (done !== undefined) return done;
  }
  throw conflict(resource, objectKey.name);
}

interface Deleting {
  readonly version: ObjectVersion;
  readonly current: StoredApiObject;
  readonly preferences: DeletePreferences;
}

async function deleteVersion(
  scope: WriteScope,
  { version, current, preferences }: Deleting,
): Promise<Deleted | undefined> {
  const { core, resource, dryRun } = scope;
  const { key, revision: expected, lease } = version;
  if (isAlreadyGoing(resource, current, preferences)) return { object: current, gone: false };
  const admission = admissionOf({ ...scope, options: optionsOf(preferences) }, "DELETE");
  await admission.admit(undefined, current);
  await admission.validate(undefined, current);
  const object = clone(current);
  // Objects with a time to live (events) own nothing, so the garbage collector has no orders to get.
  if (resource.strategy.ttl === undefined) setFinalizers(object, propagationOf(scope, object, preferences));
  const waits = markDeleted(scope, object, preferences.gracePeriodSeconds);
  resource.strategy.prepareForDelete?.(object, contextOf(scope));
  const held =
    (object.metadata.finalizers ?? []).length > 0 || resource.strategy.holdsDeletion?.(object) === true;
  const gone = !waits && !held;
  // Only kinds with a grace period show a deletionTimestamp in the last version before they are removed.
  const left = gone && resource.strategy.gracePeriod === undefined ? clone(current) : object;
  // An object whose grace period was over is answered with the finalizers that it had before.
  const { finalizers, deletionTimestamp, deletionGracePeriodSeconds: before = 0 } = current.metadata;
  if (gone && deletionTimestamp !== undefined && before === 0 && finalizers !== undefined)
    left.metadata.finalizers = [...finalizers];
  // Who deletes what stays for now is shown all of it, as by Kubernetes.
  const whole = gone ? left : (joinHidden(object, version, resource) ?? object);
  if (dryRun) return { object: whole, gone };
  if (!gone && JSON.stringify(object) === JSON.stringify(current)) return { object: whole, gone };
  if (!gone) {
    const stored = await storeObject(scope, whole, { key, expected, lease });
    return stored && { object: joinHidden(stored, version, resource) ?? stored, gone };
  }
  const revision = await core.storage.write({ key, expected, value: undefined });
  if (revision === undefined) return undefined;
  left.metadata.resourceVersion = resourceVersion(String(revision));
  deepFreeze(left);
  resource.strategy.removed?.(left);
  return { object: left, gone };
}

/** As DeleteOptions have it. */
function optionsOf({
  gracePeriodSeconds,
  propagationPolicy,
  uid,
  resourceVersion: version,
}: DeletePreferences): WriteScope["options"] {
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(version !== undefined && { resourceVersion: version }),
  };
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
  };
}

/** Whether it was told to go before, and this adds nothing to it: the content or the node takes its time. */
function isAlreadyGoing(
  { strategy }: WriteScope["resource"],
  current: StoredApiObject,
  { gracePeriodSeconds: asked }: DeletePreferences,
): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: before } = current.metadata;
  if (deletionTimestamp === undefined) return false;
  if (strategy.holdsDeletion?.(current) === true) return true;
  if (strategy.gracePeriod === undefined || before === undefined || before === 0) return false;
  return asked === undefined || asked >= before;
}

/** What the request says; else what the object's finalizers say, which stay; else what the kind says. */
function propagationOf(
  { resource, warn }: WriteScope,
  { metadata }: ApiObject,
  { propagationPolicy: asked }: DeletePreferences,
): DeletePreferences["propagationPolicy"] {
  const { orphansByDefault } = resource.strategy;
  if (asked !== undefined || orphansByDefault === undefined) return asked;
  if (orphansByDefault.warning !== undefined) warn(orphansByDefault.warning);
  const isSaid = (metadata.finalizers ?? []).some(
    (name) => name === "orphan" || name === "foregroundDeletion",
  );
  return isSaid ? undefined : "Orphan";
}

/** The garbage collector's orders, as finalizers. Without a policy, those that are there stay. */
function setFinalizers(object: ApiObject, policy: DeletePreferences["propagationPolicy"]): void {
  if (policy === undefined) return;
  const others = (object.metadata.finalizers ?? []).filter(
    (name) => name !== "orphan" && name !== "foregroundDeletion",
  );
  const own = { Background: [], Foreground: ["foregroundDeletion"], Orphan: ["orphan"] }[policy];
  const finalizers = [...others, ...own];
  if (finalizers.length > 0) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
}

/** Sets deletionTimestamp and grace period; returns whether a grace period is left to wait for. */
function markDeleted({ core, resource }: WriteScope, object: ApiObject, asked: number | undefined): boolean {
  const { metadata } = object;
  const grace = resource.strategy.gracePeriod?.(object, asked) ?? 0;
  const before = metadata.deletionGracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined) {
    // It can only go sooner than it was told, never later.
    if (before === undefined || before === 0) return false;
    if (asked === undefined || grace >= before) return true;
    const start = parseTime(metadata.deletionTimestamp) - milliseconds(before);
    metadata.deletionTimestamp = formatTime(start + milliseconds(grace));
    metadata.deletionGracePeriodSeconds = grace;
    return grace > 0;
  }
  metadata.deletionTimestamp = formatTime(core.clock.now() + milliseconds(grace));
  metadata.deletionGracePeriodSeconds = grace;
  if (metadata.generation !== undefined && metadata.generation > 0) metadata.generation++;
  return grace > 0;
}

/** Seconds, which may be any integer of 64 bits. Go counts them in as many bits of nanoseconds: far times wrap around. */
function milliseconds(seconds: number | bigint): number {
  return Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);
}
