import { messageOf } from "../errors/message-of.ts";
import type { JsonObject } from "../json-value.ts";
import { capManagers } from "./cap-managers.ts";
import { emptySet, union } from "./field-set.ts";
import {
  resetFieldsOf,
  stripMeta,
  type FieldManagerOptions,
  type ManagedObject,
  type Writer,
} from "./field-manager.ts";
import { isReset, readManagedFieldsInSteps, writeManagedFieldsInSteps } from "./managed-fields.ts";
import { manager, type Manager, type Managers } from "./managers.ts";
import { metaOf, objectText, withMeta } from "./object-meta.ts";
import { reconcileSet } from "./reconcile-set.ts";
import { ownChanges, takeChanges } from "./track-changes.ts";
import { finish, type Steps } from "../steps.ts";
import { validateValue } from "./validate-value.ts";

/** A create, update or patch: the object before (the empty one for a create) and after it. */
export interface Update extends Writer {
  readonly live: Readonly<JsonObject>;
  readonly updated: Readonly<JsonObject>;
}

/**
 * The updated object with the managedFields that follow from the update: what changed belongs to who changed it. When
 * an object does not fit its schema it has no managedFields, as no write may fail for them.
 */
export function trackUpdate(update: Update, options: FieldManagerOptions): Readonly<JsonObject> {
  return finish(trackUpdateInSteps(update, options));
}

/** The same, in steps. */
export function* trackUpdateInSteps(
  update: Update,
  options: FieldManagerOptions,
): Steps<Readonly<JsonObject>> {
  const object = withMeta(update.updated, "managedFields", undefined);
  try {
    const managers = yield* trackManagers(update, options);
    yield;
    return withMeta(object, "managedFields", yield* writeManagedFieldsInSteps(managers));
  } catch {
    return object;
  }
}

function* trackManagers(update: Update, options: FieldManagerOptions): Steps<Managers> {
  const managers = yield* managersBefore(update, options);
  // Objects that nobody manages stay so, until they are applied to.
  const isCreate = (metaOf(update.live)["uid"] ?? "") === "";
  if (managers.size === 0 && !isCreate) return managers;
  yield;
  return yield* updateManagers(
    { object: update.live, managers },
    { ...update, object: update.updated },
    options,
  );
}

/** Who manages the object after an update that left it as `update.object`. Throws a `SchemaError` for a bad object. */
export function* updateManagers(
  live: ManagedObject,
  update: Writer & { readonly object: Readonly<JsonObject> },
  options: FieldManagerOptions,
): Steps<Managers> {
  const before = withMeta(live.object, "managedFields", undefined);
  const after = withMeta(update.object, "managedFields", undefined);
  validate(after, "new", options);
  yield;
  validate(before, "live", options);
  yield;
  const reconciled = reconcileManagers(live.managers, options);
  yield;
  const current = "current-operation";
  const { managers, comparison } = yield* takeChanges(
    {
      schema: options.schema,
      before,
      after,
      managers: reconciled,
      by: current,
      resetFields: resetFieldsOf(options),
    },
    true,
  );
  yield;
  const identity = {
    name: update.manager === "" ? "unknown" : update.manager,
    operation: "Update",
    apiVersion: options.apiVersion,
    subresource: options.subresource ?? "",
  } as const;
  const own = manager(identity, ownChanges(emptySet, comparison, resetFieldsOf(options)), update.time);
  managers.set(current, own);
  stripMeta(managers, current);
  const changed = managers.get(current);
  managers.delete(current);
  if (changed !== undefined) {
    const previous = managers.get(own.id);
    managers.set(own.id, { ...changed, fields: union(changed.fields, previous?.fields ?? emptySet) });
  }
  return capManagers(managers);
}

/** Adapts all sets to the schema of today, and forgets those of versions that are gone. */
export function reconcileManagers(managers: Managers, { schema, isServed }: FieldManagerOptions): Managers {
  const reconciled = new Map<string, Manager>();
  for (const [id, entry] of managers) {
    if (isServed?.(entry.apiVersion) === false) continue;
    const fields = reconcileSet(schema, entry.fields);
    reconciled.set(id, fields === entry.fields ? entry : { ...entry, fields });
  }
  return reconciled;
}

/**
 * Writers of the object itself may change managedFields or reset them; those who do not know them leave them out, and
 * change nothing. Broken ones count as none.
 */
function* managersBefore({ live, updated }: Update, options: FieldManagerOptions): Steps<Managers> {
  if ((options.subresource ?? "") === "") {
    const sent = metaOf(updated)["managedFields"];
    if (isReset(sent)) return new Map();
    const managers = yield* readOrNone(sent);
    if (managers.size > 0) return managers;
  }
  return yield* readOrNone(metaOf(live)["managedFields"]);
}

function* readOrNone(entries: unknown): Steps<Managers> {
  try {
    return yield* readManagedFieldsInSteps(entries);
  } catch {
    return new Map();
  }
}

function validate(object: Readonly<JsonObject>, which: string, options: FieldManagerOptions): void {
  try {
    validateValue(options.schema, object, { allowDuplicates: true });
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`failed to convert ${which} object (${objectText(object)}) to smd typed: ${why}`, {
      cause,
    });
  }
}
