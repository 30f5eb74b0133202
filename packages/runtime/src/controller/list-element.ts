import { deepEqual, isJsonObject } from "@kedge/machinery";

/** One item of a list as a field set names it: `k:{"port":80}` by keys, `v:"x"` by value. */
export interface ListElement {
  /** Whether this is the element's item. Key fields that have a default need not be told. */
  readonly isOf: (item: unknown, keys: "may lack" | "must have") => boolean;
}

/** Reads the name of an item of a list. */
export function readElement(element: string): ListElement {
  const value: unknown = JSON.parse(element.slice(2));
  if (element.startsWith("v:")) return { isOf: (item) => deepEqual(item, value) };
  // Items that are known by their place only: not to be told apart here.
  if (!element.startsWith("k:") || !isJsonObject(value)) return { isOf: () => false };
  const keys = Object.entries(value);
  return {
    isOf: (item, rule) =>
      isJsonObject(item) &&
      keys.every(
        ([key, part]) => (item[key] === undefined && rule === "may lack") || deepEqual(item[key], part),
      ),
  };
}
