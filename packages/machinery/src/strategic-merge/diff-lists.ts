import { goFormatV } from "../go/go-format.ts";
import { compareText } from "../go/text-order.ts";
import { deepEqual } from "../json/deep-equal.ts";
import type { JsonObject } from "../json-value.ts";
import { patchDirective } from "./directives.ts";
import { holdObjects, mergeKeyOf, objectItem, sortByText, withoutRepeats } from "./list-items.ts";
import { sortByOrder } from "./list-order.ts";

/** What a patch says about a list that is merged. */
export interface ListDiff {
  /** Added and changed items, and objects that say what to delete. */
  readonly items: readonly unknown[];
  /** Scalars to delete. */
  readonly deletions: readonly unknown[];
  /** The order that the list is to have; empty when the patch does not say it. */
  readonly order: readonly unknown[];
}

/** How lists are compared. */
export interface ListDiffContext {
  readonly changes: boolean;
  readonly deletions: boolean;
  readonly mergeKey: string;
  readonly diffItems: (original: JsonObject, modified: JsonObject) => JsonObject;
}

/** The difference between two lists that are merged by patches. */
export function diffLists(
  original: readonly unknown[],
  modified: readonly unknown[],
  context: ListDiffContext,
): ListDiff {
  if (original.length === 0) return { items: context.changes ? modified : [], deletions: [], order: [] };
  return holdObjects(original, modified)
    ? diffListsOfObjects(original, modified, context)
    : diffListsOfScalars(original, modified, context);
}

function diffListsOfObjects(
  original: readonly unknown[],
  modified: readonly unknown[],
  context: ListDiffContext,
): ListDiff {
  const { mergeKey } = context;
  const changed: JsonObject[] = [];
  const deleted: JsonObject[] = [];
  const keyText = (item: unknown): string => goFormatV(objectItem(item)[mergeKey]);
  for (const { before, after } of zipSorted(
    sortByText(original, keyText),
    sortByText(modified, keyText),
    (item) => goFormatV(mergeKeyOf(item, mergeKey)),
  )) {
    if (before === undefined) {
      if (context.changes) changed.push(objectItem(after));
    } else if (after === undefined) {
      const deletion = { [mergeKey]: mergeKeyOf(before, mergeKey), [patchDirective]: "delete" };
      if (context.deletions) deleted.push(deletion);
    } else {
      const inner = context.diffItems(objectItem(before), objectItem(after));
      if (Object.keys(inner).length > 0) changed.push({ ...inner, [mergeKey]: mergeKeyOf(after, mergeKey) });
    }
  }
  const items = [...sortByOrder(changed, modified, { mergeKey, objects: true }), ...deleted];
  const sameOrder =
    original.length === modified.length &&
    modified.every((item, index) => mergeKeyOf(original[index], mergeKey) === mergeKeyOf(item, mergeKey));
  const tellOrder =
    (context.changes && (items.length > 0 || !sameOrder)) || (context.deletions && items.length > 0);
  const order = tellOrder ? modified.map((item) => ({ [mergeKey]: mergeKeyOf(item, mergeKey) })) : [];
  return { items, deletions: [], order };
}

function diffListsOfScalars(
  original: readonly unknown[],
  modified: readonly unknown[],
  { changes, deletions, mergeKey }: ListDiffContext,
): ListDiff {
  const added: unknown[] = [];
  const deleted: unknown[] = [];
  const sorted = sortByText(original, goFormatV);
  for (const { before, after } of zipSorted(sorted, sortByText(modified, goFormatV), goFormatV)) {
    if (before === undefined && changes) added.push(after);
    if (after === undefined && deletions) deleted.push(before);
  }
  const items = sortByOrder(added, modified, { mergeKey, objects: false });
  // The server compares with the list that it has just sorted, so that it tells the order more often than it must.
  const tellOrder = (deletions && deleted.length > 0) || (changes && !deepEqual(sorted, modified));
  return { items, deletions: withoutRepeats(deleted), order: tellOrder ? modified : [] };
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
}

/** Pairs what has the same text in two lists that are sorted by it. */
function zipSorted(
  original: readonly unknown[],
  modified: readonly unknown[],
  text: (item: unknown) => string,
): readonly Pair[] {
  const pairs: Pair[] = [];
  let left = 0;
  let right = 0;
  while (left < original.length || right < modified.length) {
    const before = original[left];
    const after = modified[right];
    const order =
      left >= original.length ? 1 : right >= modified.length ? -1 : compareText(text(before), text(after));
    pairs.push({ before: order <= 0 ? before : undefined, after: order >= 0 ? after : undefined });
    if (order <= 0) left++;
    if (order >= 0) right++;
  }
  return pairs;
}
