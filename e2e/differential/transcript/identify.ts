import { compareTexts } from "./shape.ts";

/** A value that differs from run to run, marked as what it is until it gets its symbol. */
export function mark(what: MarkedAs, value: string): string {
  return `\uE000${what} ${value}\uE000`;
}

/** Finds such marks in a text. */
export const markPattern = /\uE000([a-z]+) ([^\uE000]*)\uE000/gu;

/**
 * The version of an object or of a collection, the token of the next page, a port, an address of the server, a
 * description.
 */
export type MarkedAs = "rv" | "collection" | "continue" | "nodeport" | "address" | "prose";

/** Marks the values whose place tells what they are, and gives a copy with sorted keys. */
export function identify(value: unknown): unknown {
  return identifyAny(value, { key: "", ofCollection: false, inBookmark: false });
}

/** The names in a value that were made from a generateName, with it. */
export function generatedNamesIn(
  value: unknown,
): readonly { readonly name: string; readonly prefix: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const { name, generateName: prefix } = value as Readonly<Record<string, unknown>>;
  const here = typeof name === "string" && typeof prefix === "string" && isGenerated(name, prefix);
  const below = Object.values(value).flatMap((child) => generatedNamesIn(child));
  return here ? [{ name, prefix }, ...below] : below;
}

/** Where a value is. */
interface Place {
  readonly key: string;
  /** It is the metadata of a list or of a bookmark. */
  readonly ofCollection: boolean;
  /** It is a part of the object of a bookmark; which, as a Table, has its version in a row, too. */
  readonly inBookmark: boolean;
}

function identifyAny(value: unknown, place: Place): unknown {
  if (typeof value === "string") return identifyText(value, place);
  if (typeof value === "number" && /^(?:healthCheckN|n)odePort$/u.test(place.key))
    return mark("nodeport", `${value}`);
  if (Array.isArray(value)) return identifyList(value, place);
  if (typeof value !== "object" || value === null) return value;
  const object = value as Readonly<Record<string, unknown>>;
  const isCollection = place.inBookmark || Array.isArray(object["items"]) || Array.isArray(object["rows"]);
  const isBookmark = object["type"] === "BOOKMARK";
  const entries = Object.entries(object).toSorted(([a], [b]) => compareTexts(a, b));
  return Object.fromEntries(
    entries.map(([key, child]) => {
      const ofCollection =
        key === "metadata" ? isCollection : key === "resourceVersion" && place.ofCollection;
      return [
        key,
        identifyAny(child, {
          key,
          ofCollection,
          inBookmark: place.inBookmark || (isBookmark && key === "object"),
        }),
      ];
    }),
  );
}

function identifyText(text: string, { key, ofCollection }: Place): string {
  if (key === "resourceVersion" && /^[1-9]\d*$/u.test(text))
    return mark(ofCollection ? "collection" : "rv", text);
  if (key === "continue" && text !== "") return mark("continue", text);
  if (key === "serverAddress") return mark("address", text);
  if (key === "description" && text !== "") return mark("prose", text);
  return text;
}

function identifyList(list: readonly unknown[], { key, inBookmark }: Place): readonly unknown[] {
  const items = list.map((item) => identifyAny(item, { key: "", ofCollection: false, inBookmark }));
  // Their order depends on the second in which each was written.
  return key === "managedFields"
    ? items.toSorted((a, b) => compareTexts(managerKey(a), managerKey(b)))
    : items;
}

function managerKey(entry: unknown): string {
  const { operation, manager, apiVersion, subresource } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify([operation, manager, apiVersion, subresource ?? ""]);
}

/** Five characters, after a prefix that is cut where the name would become too long. */
function isGenerated(name: string, prefix: string): boolean {
  return name.startsWith(prefix.slice(0, 58)) && /^[bcdfghjklmnpqrstvwxz2456789]{5}$/u.test(name.slice(-5));
}
