import type { TypeSchema } from "../type-schema/type-schema.ts";
import { difference, intersection, isEmptySet, union, unionOf, type FieldSet } from "./field-set.ts";
import type { Managers } from "./managers.ts";
import { withNamedFields } from "./named-fields.ts";
import { removeItems } from "./remove-items.ts";
import type { Steps } from "../steps.ts";
import { toFieldSet } from "./to-field-set.ts";

/**
 * Removes what an applier applied last time and does not apply any more, unless somebody else owns it. `managers` holds
 * what everybody owns now, him included; `last` is what he owned before, `now` what he applies now.
 */
export function* pruneGivenUp(
  schema: TypeSchema,
  merged: unknown,
  { last, now, managers }: { readonly last: FieldSet; readonly now: FieldSet; readonly managers: Managers },
): Steps<unknown> {
  if (isEmptySet(difference(last, now))) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(set, schema);
  yield;
  const lastNamed = named(last);
  yield;
  const mergedSet = named(toFieldSet(schema, merged));
  yield;

  // First without all that he ever applied, then with what anybody owns.
  const bare = removeItems(schema, merged, lastNamed);
  yield;
  const bareSet = named(toFieldSet(schema, bare));
  yield;
  const owned = unionOf(Array.from(managers.values(), ({ fields }) => fields));
  yield;
  const kept = union(bareSet, named(owned));
  yield;
  const unowned = difference(mergedSet, kept);
  yield;
  const pruned = removeItems(schema, merged, unowned);
  yield;

  // At last nothing may go that was not his, even if nobody owns it.
  const prunedSet = named(toFieldSet(schema, pruned));
  yield;
  const lost = difference(mergedSet, prunedSet);
  yield;
  const given = intersection(lost, lastNamed);
  yield;
  return removeItems(schema, merged, given);
}
