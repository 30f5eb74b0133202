import { clone } from "./clone.ts";
import { deepEqual } from "./deep-equal.ts";
import { getOwn, isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";

/**
 * Applies a JSON merge patch (RFC 7396) and returns the new document, which shares nothing with the old one nor with
 * the patch. As in kube-apiserver's library, nulls are also dropped from the objects of a list, unless the list takes
 * the place of an object.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isJsonObject(document) || !isJsonObject(patch)) return withoutNulls(patch);
  const merged = clone(document);
  mergeInto(merged, patch);
  return merged;
}

/**
 * A merge patch that turns one document into another; `{}` when they mean the same. A merge patch cannot set null, so
 * nulls in `to` come out as absent.
 */
export function createMergePatch(from: unknown, to: unknown): unknown {
  return isJsonObject(from) && isJsonObject(to) ? changes(from, to) : clone(to);
}

function mergeInto(target: JsonObject, patch: JsonObject): void {
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    const current = getOwn(target, key);
    if (change === null) delete target[key];
    else if (!isJsonObject(current)) setOwn(target, key, withoutNulls(change));
    else if (isJsonObject(change)) mergeInto(current, change);
    else setOwn(target, key, clone(change));
  }
}

function withoutNulls(value: unknown): unknown {
  if (isJsonList(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const child = value[key];
    if (child !== null && child !== undefined) setOwn(kept, key, withoutNulls(child));
  }
  return kept;
}

function changes(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) {
    if (from[key] !== undefined && getOwn(to, key) === undefined) setOwn(patch, key, null);
  }
  for (const key of Object.keys(to)) {
    const value = to[key];
    const old = getOwn(from, key);
    if (value === undefined || deepEqual(old, value)) continue;
    setOwn(patch, key, createMergePatch(old, value));
  }
  return patch;
}
