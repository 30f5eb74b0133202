import type { Random } from "@kedge/machinery";
import { isObject, type JsonObject } from "../json.ts";
import { chance, oneOf, shuffled, subset, weighted } from "./choose.ts";

/** A part of an object that patches treat in a way of its own. */
export type Site = ListSite | ValuesSite | MapSite | FixedSite;

/** A list that is merged item by item. */
interface ListSite {
  readonly is: "list";
  /** Keys down to the list; `name=web` steps into the item of that name. */
  readonly path: string;
  readonly mergeKey: string;
  /** Keys of items that are there. */
  readonly has: readonly (string | number)[];
  /** Keys of items that are not. */
  readonly lacks: readonly (string | number)[];
  /** A whole item, with all that the server would add. */
  readonly make: (key: string | number) => JsonObject;
  /** A change of an item that is there. */
  readonly change: JsonObject;
}

/** A list of plain values that is merged. */
interface ValuesSite {
  readonly is: "values";
  readonly path: string;
  readonly has: readonly string[];
  readonly lacks: readonly string[];
}

/** A map of texts. */
interface MapSite {
  readonly is: "map";
  readonly path: string;
  readonly has: readonly string[];
  readonly lacks: readonly string[];
}

/** Patches that are hard to make up. */
interface FixedSite {
  readonly is: "fixed";
  readonly path: string;
  readonly patches: readonly unknown[];
  /** Those that are refused. */
  readonly faulty?: readonly unknown[];
}

/**
 * A strategic merge patch that changes one to three parts of an object, or one with a fault. Of two faults the server
 * would name the one that it comes across first, and Go's maps have no order.
 */
export function strategicPatch(random: Random, sites: readonly Site[]): JsonObject {
  const faulty = chance(random, 18);
  const count = faulty ? 1 : 1 + random.int(3);
  const able = sites.filter((site) => !faulty || site.is !== "fixed" || site.faulty !== undefined);
  const patches = shuffled(random, able)
    .slice(0, count)
    .map((site) => patchOf(random, site, faulty));
  return patches.reduce(combine, {});
}

function patchOf(random: Random, site: Site, faulty: boolean): JsonObject {
  const steps = site.path.split("/");
  const field = steps.pop() ?? "";
  return nested(steps, (faulty ? faultyPatch : fieldPatch)(random, site, field));
}

function nested([step, ...rest]: readonly string[], patch: JsonObject): JsonObject {
  if (step === undefined) return patch;
  const inner = nested(rest, patch);
  const [mergeKey = "", value] = step.split("=");
  return value === undefined ? { [step]: inner } : { [itemOfList]: { [mergeKey]: value, ...inner } };
}

/** Marks an item of the list that is one step up. */
const itemOfList = "[]";

function fieldPatch(random: Random, site: Site, field: string): JsonObject {
  switch (site.is) {
    case "list":
      return listPatch(random, site, field);
    case "values":
      return valuesPatch(random, site, field);
    case "map":
      return { [field]: mapPatch(random, site) };
    case "fixed":
      return field === ""
        ? (oneOf(random, site.patches) as JsonObject)
        : { [field]: oneOf(random, site.patches) };
  }
}

function faultyPatch(random: Random, site: Site, field: string): JsonObject {
  switch (site.is) {
    case "list":
      return oneOf(random, faultyLists(site, field));
    case "values":
      return oneOf(random, [
        { [`$deleteFromPrimitiveList/${field}`]: "no list" },
        { "$deleteFromPrimitiveList/": [] },
        { [`$setElementOrder/${field}`]: "no list" },
        { [field]: [...site.lacks], [`$setElementOrder/${field}`]: [...site.has] },
        { [field]: [{ no: "text" }] },
      ]);
    case "map":
      return { [field]: { $patch: oneOf<unknown>(random, ["bogus", 7, null]) } };
    case "fixed":
      return fixed(field, oneOf(random, site.faulty ?? []));
  }
}

function faultyLists({ mergeKey, has, change }: ListSite, field: string): readonly JsonObject[] {
  const items = has.map((key) => ({ [mergeKey]: key }));
  return [
    { [field]: [{ ...change }] },
    { [field]: [{ [mergeKey]: has[0], $patch: "bogus" }] },
    { [field]: [{ $patch: "delete" }] },
    { [field]: [[...items]] },
    { [field]: [...has] },
    { [field]: items, [`$setElementOrder/${field}`]: items.slice(1) },
    { [field]: items, [`$setElementOrder/${field}`]: items.toReversed() },
    { [field]: items, [`$setElementOrder/${field}`]: [{ ...change }] },
    { [field]: items, [`$setElementOrder/${field}`]: has[0] },
    { [field]: items, "$setElementOrder/": items },
    { [`$deleteFromPrimitiveList/${field}`]: [...has] },
  ];
}

/** Without a field the patch is for what holds it. */
function fixed(field: string, patch: unknown): JsonObject {
  return field === "" ? (patch as JsonObject) : { [field]: patch };
}

function listPatch(random: Random, site: ListSite, field: string): JsonObject {
  const { mergeKey, has, lacks, make, change } = site;
  if (chance(random, 4)) return { [field]: null };
  const added = subset(random, lacks, 40).map(make);
  if (chance(random, 8)) {
    return { [field]: shuffled(random, [{ $patch: "replace" }, ...added, ...has.slice(1).map(make)]) };
  }
  const kept = subset(random, has, 40).map((key) =>
    weighted<JsonObject>(random, [
      [4, () => ({ [mergeKey]: key, ...change })],
      [2, () => ({ $patch: "delete", [mergeKey]: key })],
      [1, () => ({ ...make(key), ...change })],
    ]),
  );
  const absent = chance(random, 10) ? [{ $patch: "delete", [mergeKey]: lacks[0] }] : [];
  const items = shuffled(random, [...kept, ...(absent.length > 0 ? absent : added)]);
  const patch = items.length > 0 || chance(random, 50) ? { [field]: items } : {};
  if (!chance(random, 45)) return patch;
  const others = subset(random, [...has, ...lacks], 60).filter(
    (key) => !items.some((item) => item[mergeKey] === key),
  );
  const listed = items.filter((item) => item["$patch"] !== "delete").map((item) => item[mergeKey]);
  // The items of the patch must be in the order of the list; others may be anywhere in it.
  for (const key of others) listed.splice(random.int(listed.length + 1), 0, key);
  return { [`$setElementOrder/${field}`]: listed.map((key) => ({ [mergeKey]: key })), ...patch };
}

function valuesPatch(random: Random, { has, lacks }: ValuesSite, field: string): JsonObject {
  if (chance(random, 4)) return { [field]: null };
  const added = shuffled(random, subset(random, [...lacks, ...has], 40));
  const deleted = subset(random, [...has, ...lacks], 30).filter((value) => !added.includes(value));
  const order: string[] = [...added];
  for (const value of subset(random, has).filter((each) => !added.includes(each))) {
    order.splice(random.int(order.length + 1), 0, value);
  }
  return {
    ...(added.length > 0 ? { [field]: added } : {}),
    ...(deleted.length > 0 ? { [`$deleteFromPrimitiveList/${field}`]: deleted } : {}),
    ...(chance(random, 40) ? { [`$setElementOrder/${field}`]: order } : {}),
  };
}

function mapPatch(random: Random, { has, lacks }: MapSite): JsonObject | null {
  if (chance(random, 5)) return null;
  const changed = subset(random, has).map((key) => [key, chance(random, 50) ? null : "changed"]);
  const added = subset(random, lacks).map((key) => [key, chance(random, 20) ? null : "new"]);
  const values = Object.fromEntries([...changed, ...added]) as JsonObject;
  return weighted<JsonObject>(random, [
    [8, () => values],
    [1, () => ({ $patch: "replace", ...values })],
    [1, () => ({ $patch: "delete" })],
  ]);
}

/** Both patches in one, where items of lists are combined when they are the same item. */
function combine(a: JsonObject, b: JsonObject): JsonObject {
  const combined: JsonObject = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = combined[key];
    combined[key] = isObject(before) && isObject(value) ? combine(before, value) : (before ?? value);
  }
  return combined;
}

/** Puts the items that were stepped into where they belong: into lists. */
export function withLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLists);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, itemOfList)) return [withLists(value[itemOfList])];
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withLists(child)]));
}
