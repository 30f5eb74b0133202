import { messageOf } from "../errors/message-of.ts";
import { deepEqual } from "../json/deep-equal.ts";
import { isJsonObject, type JsonObject } from "../json-value.ts";
import { badRequest } from "../errors/status-errors.ts";
import { ApplyConflicts, conflictStatus } from "./conflicts.ts";
import { emptySet, recursiveDifference } from "./field-set.ts";
import {
  emptyObjectOf,
  resetFieldsOf,
  stripMeta,
  type FieldManagerOptions,
  type ManagedObject,
  type Writer,
} from "./field-manager.ts";
import { allowedByLastApplied, withLastApplied } from "./last-applied.ts";
import { readManagedFieldsInSteps, writeManagedFieldsInSteps } from "./managed-fields.ts";
import { manager } from "./managers.ts";
import { mergeValuesInSteps } from "./merge-values.ts";
import { gvkText, metaOf, objectText, withMeta } from "./object-meta.ts";
import { pruneGivenUp } from "./prune-given-up.ts";
import { toFieldSet } from "./to-field-set.ts";
import { finish, type Steps } from "../steps.ts";
import { takeChanges } from "./track-changes.ts";
import { reconcileManagers, updateManagers } from "./track-update.ts";
import { validateValue } from "./validate-value.ts";

/** An apply: the object as it is (the empty one when there is none) and what is applied to it. */
export interface Apply extends Writer {
  readonly live: Readonly<JsonObject>;
  readonly applied: Readonly<JsonObject>;
  /** Takes fields from their owners instead of failing. */
  readonly force?: boolean | undefined;
}

/**
 * The object that an apply makes, with its managedFields. Throws a `StatusError`: 409 when fields belong to others, 400
 * when the configuration is of another kind or has managedFields; and an `Error` for what the server answers 500 to.
 */
export function serverSideApply(apply: Apply, options: FieldManagerOptions): Readonly<JsonObject> {
  return finish(serverSideApplyInSteps(apply, options));
}

/** The same, in steps. */
export function* serverSideApplyInSteps(
  apply: Apply,
  options: FieldManagerOptions,
): Steps<Readonly<JsonObject>> {
  const { applied } = apply;
  if (applied["apiVersion"] !== options.apiVersion || applied["kind"] !== options.kind) {
    throw badRequest(`invalid object type: ${gvkText(applied)}`);
  }
  const live = yield* readLive(apply.live);
  yield;
  const result = yield* applyAllowingLastApplied(live, apply, options);
  yield;
  const object = apply.manager === "kubectl" ? withLastApplied(result.object, applied) : result.object;
  return withMeta(object, "managedFields", yield* writeManagedFieldsInSteps(result.managers));
}

function* readLive(live: Readonly<JsonObject>): Steps<ManagedObject> {
  try {
    const managers = yield* readManagedFieldsInSteps(metaOf(live)["managedFields"]);
    return { object: withMeta(live, "managedFields", undefined), managers };
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`failed to decode managed fields: ${why}`, { cause });
  }
}

/** `kubectl` may take what it applied itself in the old way, by its annotation. */
function* applyAllowingLastApplied(
  live: ManagedObject,
  apply: Apply,
  options: FieldManagerOptions,
): Steps<ManagedObject> {
  try {
    return yield* applyTracked(live, apply, options);
  } catch (error) {
    if (!(error instanceof ApplyConflicts)) throw error;
    const conflicts =
      apply.manager === "kubectl"
        ? yield* allowedByLastApplied(live.object, error.conflicts, options)
        : error.conflicts;
    if (conflicts.length > 0) throw yield* conflictStatus(conflicts);
    return yield* applyTracked(live, { ...apply, force: true }, options);
  }
}

/** Whatever was there before the first apply belongs to somebody who may not be there any more. */
function* applyTracked(
  live: ManagedObject,
  apply: Apply,
  options: FieldManagerOptions,
): Steps<ManagedObject> {
  if (live.managers.size > 0) return yield* applyManaged(live, apply, options);
  const managers = yield* managersBefore(live, apply, options);
  return yield* applyManaged({ ...live, managers }, apply, options);
}

function* managersBefore(
  live: ManagedObject,
  { time }: Apply,
  options: FieldManagerOptions,
): Steps<ManagedObject["managers"]> {
  try {
    return yield* updateManagers(
      { object: emptyObjectOf(options), managers: live.managers },
      { object: live.object, manager: "before-first-apply", time },
      options,
    );
  } catch (cause) {
    throw new Error(`failed to create manager for existing fields: ${messageOf(cause)}`, { cause });
  }
}

function* applyManaged(
  live: ManagedObject,
  apply: Apply,
  options: FieldManagerOptions,
): Steps<ManagedObject> {
  const { schema } = options;
  if (
    Object.hasOwn(metaOf(apply.applied), "managedFields") &&
    metaOf(apply.applied)["managedFields"] !== null
  ) {
    throw badRequest("metadata.managedFields must be nil");
  }
  validate(apply.applied, "patch", options);
  yield;
  validate(live.object, "live", options);
  yield;

  const resetFields = resetFieldsOf(options);
  const identity = {
    name: apply.manager === "" ? "unknown" : apply.manager,
    operation: "Apply",
    apiVersion: options.apiVersion,
    subresource: options.subresource ?? "",
  } as const;
  const before = new Map(reconcileManagers(live.managers, options));
  yield;
  const named = toFieldSet(schema, apply.applied);
  yield;
  const fields = recursiveDifference(named, resetFields);
  const own = manager(identity, fields);
  const last = before.get(own.id);
  before.set(own.id, { ...own, time: last?.time });

  yield;
  const merged = yield* mergeValuesInSteps(schema, live.object, apply.applied);
  yield;
  const object = yield* pruneGivenUp(schema, merged, {
    last: last?.fields ?? emptySet,
    now: fields,
    managers: before,
  });
  yield;
  const { managers } = yield* takeChanges(
    { schema, before: live.object, after: object, managers: before, by: own.id, resetFields },
    apply.force === true,
  );
  stripMeta(managers, own.id);
  yield;

  if (!isJsonObject(object) || deepEqual(live.object, object)) return { object: live.object, managers };
  const written = managers.get(own.id);
  if (written !== undefined) managers.set(own.id, { ...written, time: apply.time });
  return { object, managers };
}

function validate(
  object: Readonly<JsonObject>,
  which: "patch" | "live",
  { schema }: FieldManagerOptions,
): void {
  try {
    validateValue(schema, object, { allowDuplicates: which === "live" });
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`failed to create typed ${which} object (${objectText(object)}): ${why}`, { cause });
  }
}
