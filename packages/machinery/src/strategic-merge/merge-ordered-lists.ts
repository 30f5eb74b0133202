import { goFormatV } from "../go/go-format.ts";
import { compareText } from "../go/text-order.ts";
import { deepEqual } from "../json/deep-equal.ts";
import { getOwn, isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";
import type { TypeSchema } from "../type-schema/type-schema.ts";
import { fieldOf, patchDirective, setElementOrder, withoutDirectives } from "./directives.ts";
import { holdObjects, mergeKeyOf, objectItem } from "./list-items.ts";
import { orderItems } from "./list-order.ts";
import { mergeLists, orderAfterMerge } from "./merge-lists.ts";
import { badElementOrder, StrategicPatchError, wrongType } from "./patch-error.ts";
import { listField } from "./patch-schema.ts";
import type { MergePair, MergeTarget } from "./retain-keys.ts";

/** What merging lists of an object needs. */
export interface OrderedListsContext {
  readonly type: TypeSchema;
  readonly target: MergeTarget;
  readonly mergeItems: (original: JsonObject, patch: JsonObject, type: TypeSchema) => JsonObject;
}

/** Merges and orders the lists that `$setElementOrder` is about, and takes both out of the patch. */
export function mergeOrderedLists(
  original: JsonObject,
  patch: JsonObject,
  context: OrderedListsContext,
): MergePair {
  const directives = Object.keys(patch).filter((key) => key.startsWith(setElementOrder));
  if (directives.length === 0) return { original, patch };
  const merged = { ...original };
  const rest = { ...patch };
  for (const key of directives.toSorted(compareText)) {
    const order = patch[key];
    delete rest[key];
    if (context.target === "patch") keepOrder(merged, key, order);
    if (!isJsonList(order)) throw wrongType("[]interface {}", order);
    const name = fieldOf(key, setElementOrder);
    if (name === undefined) throw badElementOrder();
    const list = orderedList({ live: listOf(merged, name), items: listOf(rest, name), order }, name, context);
    if (list === undefined) continue;
    setOwn(merged, name, list);
    delete rest[name];
  }
  return { original: merged, patch: rest };
}

interface ListPatch {
  readonly live: readonly unknown[] | undefined;
  readonly items: readonly unknown[] | undefined;
  readonly order: readonly unknown[];
}

function keepOrder(patch: JsonObject, key: string, order: unknown): void {
  const own = getOwn(patch, key);
  if (own === undefined) setOwn(patch, key, order);
  else if (!deepEqual(own, order)) throw badElementOrder();
}

function listOf(object: JsonObject, name: string): readonly unknown[] | undefined {
  const list = getOwn(object, name);
  if (list === undefined) return undefined;
  if (!isJsonList(list)) throw wrongType("[]interface {}", list);
  return list;
}

function orderedList(
  { live, items, order }: ListPatch,
  name: string,
  context: OrderedListsContext,
): readonly unknown[] | undefined {
  const field = listField(context.type, name);
  checkOrder(items ?? [], order, field.mergeKey);
  if (live === undefined && items === undefined) return undefined;
  const mergeItems = (item: JsonObject, patch: JsonObject): JsonObject =>
    context.mergeItems(item, patch, field.type);
  const merged =
    items === undefined
      ? (live ?? [])
      : live === undefined
        ? withoutDirectives(items)
        : field.strategy === "merge"
          ? mergeLists(live, items, { field, mergeItems })
          : items;
  const key = { mergeKey: field.mergeKey, objects: holdObjects(live ?? [], items ?? []) };
  const liveOrder =
    field.strategy === "merge" && key.objects
      ? orderAfterMerge(live ?? [], items ?? [], field)
      : (live ?? []);
  return orderItems(isJsonList(merged) ? merged : [], { patch: order, live: liveOrder }, key);
}

/** The items of a patch must be in the order that it gives, and there. */
function checkOrder(items: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (order.length === 0 || items.length === 0) return;
  const merging =
    mergeKey === "" ? items : items.map(objectItem).filter((item) => item[patchDirective] !== "delete");
  let next = 0;
  let place = 0;
  while (next < merging.length && place < order.length) {
    const item = merging[next];
    if (isJsonObject(item) && Object.hasOwn(item, patchDirective)) {
      next++;
      continue;
    }
    if (sameKey(item, order[place], mergeKey)) next++;
    place++;
  }
  if (next < merging.length && place >= order.length) {
    throw new StrategicPatchError(
      `The order in patch list:\n${goFormatV(items)}\n doesn't match ${setElementOrder} list:\n${goFormatV(order)}\n`,
    );
  }
}

function sameKey(a: unknown, b: unknown, mergeKey: string): boolean {
  if (mergeKey === "") return a === b;
  objectItem(a);
  objectItem(b);
  return mergeKeyOf(a, mergeKey) === mergeKeyOf(b, mergeKey);
}
