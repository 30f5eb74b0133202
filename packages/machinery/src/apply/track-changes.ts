import type { TypeSchema } from "../type-schema/type-schema.ts";
import { compareValuesInSteps, type Comparison } from "./compare-values.ts";
import { ApplyConflicts, type Conflict } from "./conflicts.ts";
import {
  difference,
  emptySet,
  intersection,
  isEmptySet,
  recursiveDifference,
  union,
  type FieldSet,
} from "./field-set.ts";
import type { Manager, Managers } from "./managers.ts";
import type { Steps } from "../steps.ts";

/** A change that somebody makes to an object. */
export interface Change {
  readonly schema: TypeSchema;
  readonly before: unknown;
  readonly after: unknown;
  readonly managers: Managers;
  /** The id of who makes the change. */
  readonly by: string;
  /** Fields that he cannot change here: they are neither compared nor owned. */
  readonly resetFields: FieldSet;
}

/**
 * Takes from all others what somebody changes. Without `force` it throws `ApplyConflicts` when that is anything but
 * removed fields, which are simply gone.
 */
export function* takeChanges(
  change: Change,
  force: boolean,
): Steps<{ readonly managers: Map<string, Manager>; readonly comparison: Comparison }> {
  const compared = yield* compareValuesInSteps(change.schema, change.before, change.after);
  yield;
  const comparison = withoutFields(compared, change.resetFields);
  yield;
  const changed = union(comparison.modified, comparison.added);
  const managers = new Map<string, Manager>();
  const conflicts: Conflict[] = [];
  for (const [id, manager] of change.managers) {
    yield;
    let { fields } = manager;
    if (id !== change.by) {
      const taken = intersection(fields, changed);
      if (!isEmptySet(taken)) conflicts.push({ manager, fields: taken });
      yield;
      fields = difference(difference(fields, taken), comparison.removed);
    }
    if (!isEmptySet(fields)) managers.set(id, fields === manager.fields ? manager : { ...manager, fields });
  }
  if (!force && conflicts.length > 0) throw new ApplyConflicts(conflicts);
  return { managers, comparison };
}

/** What somebody owns after he changed an object by an update: what he owned, and all that changed. */
export function ownChanges(owned: FieldSet, comparison: Comparison, resetFields: FieldSet): FieldSet {
  const kept = difference(owned, comparison.removed);
  return recursiveDifference(union(union(kept, comparison.modified), comparison.added), resetFields);
}

function withoutFields(comparison: Comparison, fields: FieldSet): Comparison {
  if (fields === emptySet) return comparison;
  return {
    added: recursiveDifference(comparison.added, fields),
    modified: recursiveDifference(comparison.modified, fields),
    removed: recursiveDifference(comparison.removed, fields),
  };
}
