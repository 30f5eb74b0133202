import { clone } from "./clone.ts";
import { deepEqual } from "./deep-equal.ts";
import { JsonPatchError } from "./json-patch-error.ts";
import { findPlace, type JsonPlace } from "./json-pointer.ts";
import { isJsonList, isJsonObject } from "../json-value.ts";
import { finish, type Steps } from "../steps.ts";

/** One step of a JSON patch (RFC 6902). Paths are JSON pointers: `/metadata/labels/app.kubernetes.io~1name`. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** A step as it came over the wire: nothing of it has been checked. */
export interface JsonPatchStep {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

/** Limits that a server sets. */
export interface JsonPatchOptions {
  /** How many bytes of JSON all `copy` operations together may add. Default: no limit. */
  readonly maxCopyBytes?: number;
}

/**
 * Applies a JSON patch and returns the new document, which shares nothing with the old one nor with the patch. All or
 * nothing: throws a `JsonPatchError` when a step does not apply.
 *
 * Where kube-apiserver's library differs from the standard, so do we: `replace` sets a missing key of an object, a
 * missing value counts as null, `copy` of a missing key copies null, `test` of a missing key against null holds, an
 * index may be negative, and only `replace` and `test` can name the whole document. Two of its slips we leave to it: it
 * tests scalars byte by byte, so that `<` is not equal to its own escape, and a null that `copy` wrote equals `{}`.
 */
export function applyJsonPatch(
  document: unknown,
  patch: readonly JsonPatchStep[],
  options: JsonPatchOptions = {},
): unknown {
  return finish(applyJsonPatchInSteps(document, patch, options));
}

/** The same, in steps: an operation may copy much, and there may be many. */
export function* applyJsonPatchInSteps(
  document: unknown,
  patch: readonly JsonPatchStep[],
  options: JsonPatchOptions = {},
): Steps<unknown> {
  const draft: Draft = { root: clone(document), copiedBytes: 0, maxCopyBytes: options.maxCopyBytes };
  for (const step of patch) {
    yield;
    applyStep(draft, step);
  }
  return draft.root;
}

/** Reads a patch that came over the wire. Throws when it is not a list of objects. */
export function readJsonPatch(value: unknown): JsonPatchStep[] {
  if (!isJsonList(value)) throw new JsonPatchError("Malformed", "a JSON patch must be a list of operations");
  return value.map((step, index) => {
    if (isJsonObject(step)) return step;
    throw new JsonPatchError("Malformed", `operation ${index} of the JSON patch must be an object`);
  });
}

interface Draft {
  root: unknown;
  copiedBytes: number;
  readonly maxCopyBytes: number | undefined;
}

function applyStep(draft: Draft, step: JsonPatchStep): void {
  switch (step.op) {
    case "add":
      return add(draft, step);
    case "remove":
      return remove(draft, step);
    case "replace":
      return replace(draft, step);
    case "move":
      return move(draft, step);
    case "test":
      return test(draft, step);
    case "copy":
      return copy(draft, step);
    default:
      throw new JsonPatchError(
        "Malformed",
        `Unexpected kind: ${typeof step.op === "string" ? step.op : "unknown"}`,
      );
  }
}

function add(draft: Draft, step: JsonPatchStep): void {
  const path = textOf(step.path, "add operation failed to decode path");
  const place = placeOf(draft, path, `add operation does not apply: doc is missing path: "${path}"`);
  within(`error in add for path: '${path}'`, () => place.add(valueOf(step)));
}

function remove(draft: Draft, step: JsonPatchStep): void {
  const path = textOf(step.path, "remove operation failed to decode path");
  const place = placeOf(draft, path, `remove operation does not apply: doc is missing path: "${path}"`);
  within(`error in remove for path: '${path}'`, () => place.remove());
}

function replace(draft: Draft, step: JsonPatchStep): void {
  const path = textOf(step.path, "replace operation failed to decode path: operation missing path field");
  const value = valueOf(step);
  if (path === "") {
    if (typeof value !== "object" || value === null) {
      throw new JsonPatchError("Malformed", "replace operation value must be object or array");
    }
    draft.root = value;
    return;
  }
  const place = placeOf(draft, path, `replace operation does not apply: doc is missing path: ${path}`);
  try {
    place.set(value);
  } catch {
    throw missing(`replace operation does not apply: doc is missing key: ${path}`);
  }
}

function move(draft: Draft, step: JsonPatchStep): void {
  const from = textOf(step.from, "move operation failed to decode from: operation, missing from field");
  const source = placeOf(draft, from, `move operation does not apply: doc is missing from path: ${from}`);
  const value = within(`error in move for path: '${source.key}'`, () => {
    const found = source.get();
    source.remove();
    return found;
  });
  const path = textOf(step.path, "move operation failed to decode path: operation missing path field");
  const place = placeOf(
    draft,
    path,
    `move operation does not apply: doc is missing destination path: ${path}`,
  );
  within(`error in move for path: '${path}'`, () => place.add(value));
}

function test(draft: Draft, step: JsonPatchStep): void {
  const path = textOf(step.path, "test operation failed to decode path: operation missing path field");
  const actual = path === "" ? draft.root : testedValue(draft, path);
  if (!deepEqual(actual ?? null, step.value ?? null)) {
    throw new JsonPatchError("TestFailed", `testing value ${path} failed: test failed`);
  }
}

function testedValue(draft: Draft, path: string): unknown {
  const place = placeOf(draft, path, `test operation does not apply: is missing path: ${path}`);
  return within(`error in test for path: '${path}'`, () => place.get());
}

function copy(draft: Draft, step: JsonPatchStep): void {
  const from = textOf(step.from, "copy operation failed to decode from: operation, missing from field");
  const source = placeOf(draft, from, `copy operation does not apply: doc is missing from path: ${from}`);
  const original = within(`error in copy for from: '${from}'`, () => source.get() ?? null);
  const path = textOf(step.path, "copy operation failed to decode path");
  const place = placeOf(
    draft,
    path,
    `copy operation does not apply: doc is missing destination path: ${path}`,
  );
  countCopy(draft, original);
  within("error while adding value during copy", () => place.add(clone(original)));
}

function countCopy(draft: Draft, value: unknown): void {
  if (draft.maxCopyBytes === undefined) return;
  draft.copiedBytes += new TextEncoder().encode(JSON.stringify(value)).length;
  if (draft.copiedBytes > draft.maxCopyBytes) {
    throw new JsonPatchError(
      "TooLarge",
      `Unable to complete the copy, the accumulated size increase of copy is ${draft.copiedBytes}, exceeding the limit ${draft.maxCopyBytes}`,
    );
  }
}

function valueOf(step: JsonPatchStep): unknown {
  return clone(step.value ?? null);
}

function textOf(value: unknown, otherwise: string): string {
  if (typeof value === "string") return value;
  throw missing(otherwise);
}

function placeOf(draft: Draft, path: string, otherwise: string): JsonPlace {
  const place = findPlace(draft.root, path);
  if (place !== undefined) return place;
  throw missing(otherwise);
}

function missing(what: string): JsonPatchError {
  return new JsonPatchError("Missing", `${what}: missing value`);
}

function within<T>(context: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof JsonPatchError ? error.within(context) : error;
  }
}
