import { clone } from "./clone.ts";
import { deepEqual } from "./deep-equal.ts";
import type { JsonPatchOperation } from "./json-patch.ts";
import { pointerStep } from "./json-pointer.ts";
import { getOwn, isJsonList, isJsonObject, type JsonObject } from "../json-value.ts";

/** A JSON patch that turns one document into another; empty when they mean the same. Both are objects or lists. */
export function diffJsonPatch(from: unknown, to: unknown): JsonPatchOperation[] {
  const patch: JsonPatchOperation[] = [];
  diffValue(patch, "", { from, to });
  return patch;
}

interface Pair<T> {
  readonly from: T;
  readonly to: T;
}

function diffValue(patch: JsonPatchOperation[], path: string, { from, to }: Pair<unknown>): void {
  if (isJsonObject(from) && isJsonObject(to)) diffObject(patch, path, { from, to });
  else if (isJsonList(from) && isJsonList(to)) diffList(patch, path, { from, to });
  else if (!deepEqual(from, to)) patch.push({ op: "replace", path, value: clone(to) });
}

function diffObject(patch: JsonPatchOperation[], path: string, { from, to }: Pair<JsonObject>): void {
  for (const key of Object.keys(from)) {
    if (from[key] !== undefined && getOwn(to, key) === undefined) {
      patch.push({ op: "remove", path: path + pointerStep(key) });
    }
  }
  for (const key of Object.keys(to)) {
    if (to[key] === undefined) continue;
    const old = getOwn(from, key);
    const step = path + pointerStep(key);
    if (old === undefined) patch.push({ op: "add", path: step, value: clone(to[key]) });
    else diffValue(patch, step, { from: old, to: to[key] });
  }
}

/** Leaves the equal beginning and the equal end alone; between them, changes items in place, then the length. */
function diffList(patch: JsonPatchOperation[], path: string, { from, to }: Pair<unknown[]>): void {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && deepEqual(from[start], to[start])) start++;
  let tail = 0;
  while (tail < shorter - start && deepEqual(from.at(-1 - tail), to.at(-1 - tail))) tail++;

  const fromEnd = from.length - tail;
  const toEnd = to.length - tail;
  const changedEnd = Math.min(fromEnd, toEnd);
  for (let i = start; i < changedEnd; i++) {
    diffValue(patch, path + pointerStep(i), { from: from[i], to: to[i] });
  }
  for (let i = fromEnd - 1; i >= toEnd; i--) patch.push({ op: "remove", path: path + pointerStep(i) });
  for (let i = fromEnd; i < toEnd; i++) {
    patch.push({ op: "add", path: path + pointerStep(i), value: clone(to[i]) });
  }
}
