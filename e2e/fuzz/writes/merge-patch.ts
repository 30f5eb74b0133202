import { isObject, type JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { partOfObject } from "./part-of.ts";
import type { Write, WriteMaterial } from "./write.ts";

/** A merge patch, or a strategic one where the kind knows them. */
export function mergePatch(material: WriteMaterial, type: "merge-patch" | "strategic-merge-patch"): Write {
  const { choose, latest } = material;
  const part = partOfObject(material);
  const removed = choose.maybe(40) ? removal(choose, latest) : {};
  const directed = type === "merge-patch" ? part : (withDirectives(choose, part) as JsonObject);
  const patch = combined(directed, removed);
  return {
    method: "PATCH",
    type: `application/${type}+json`,
    query: choose.fields({
      fieldManager: [20, () => "one"],
      dryRun: [5, () => "All"],
      fieldValidation: [10, () => choose.one(["Strict", "Warn", "Ignore"])],
    }) as Record<string, string>,
    body: () => patch,
    said: patch,
  };
}

/** Removes one thing that is there. */
function removal(choose: Chooser, object: JsonObject, depth = 0): JsonObject {
  const names = Object.keys(object).filter(
    (name) => depth > 0 || !["apiVersion", "kind", "status"].includes(name),
  );
  if (names.length === 0) return {};
  const name = choose.one(names);
  const value = object[name];
  if (isObject(value) && (depth === 0 || choose.maybe(60)))
    return { [name]: removal(choose, value, depth + 1) };
  // What the server made up cannot go in the same way on both: it is not the same on both.
  return madeUp.has(name) ? {} : { [name]: null };
}

const madeUp = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "generation",
  "namespace",
  "name",
]);

function withDirectives(choose: Chooser, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withDirectives(choose, item));
    const ofObjects = items.length > 0 && items.every(isObject);
    return ofObjects && choose.maybe(8) ? [...items, { $patch: "replace" }] : items;
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, child]) => [key, withDirectives(choose, child)]);
  const object = Object.fromEntries(fields) as JsonObject;
  return choose.maybe(3)
    ? { ...object, $patch: choose.one(["replace", "delete", "merge"], ["bogus"]) }
    : object;
}

function combined(a: JsonObject, b: JsonObject): JsonObject {
  const result: JsonObject = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = result[key];
    result[key] = isObject(before) && isObject(value) ? combined(before, value) : (before ?? value);
  }
  return result;
}
