import { deepEqual, getOwn, isJsonObject, type JsonObject } from "@kedge/machinery";
import { writtenJson } from "./written-number.ts";

/** The JSON of a patched object, in the order that Go would give its keys: sorted where the patch changed something. */
export function patchedText(current: unknown, patched: unknown): string {
  return writtenJson(ordered(current, patched));
}

const metadataOrder = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
];

function ordered(current: unknown, patched: unknown, path = ""): unknown {
  if (!isJsonObject(patched)) return patched;
  if (path !== "" && deepEqual(current, patched))
    return path === "metadata" ? inOrder(patched, metadataOrder) : patched;
  const before: JsonObject = isJsonObject(current) ? current : {};
  const entries = Object.entries(patched).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      ordered(getOwn(before, key), value, path === "" ? key : `${path}.${key}`),
    ]),
  );
}

function inOrder(object: JsonObject, order: readonly string[]): JsonObject {
  const placed = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => placed(a) - placed(b)));
}
