import { getOwn, isJsonObject, type JsonObject } from "../json-value.ts";
import { compareValuesInSteps } from "./compare-values.ts";
import type { Conflict } from "./conflicts.ts";
import type { FieldManagerOptions } from "./field-manager.ts";
import { difference, emptySet, isEmptySet, type FieldSet } from "./field-set.ts";
import { goJson } from "../go/go-json.ts";
import { metaOf, withMeta } from "./object-meta.ts";
import { parseJsonExactly } from "../json/large-integers.ts";
import { compareText } from "../go/text-order.ts";
import type { Steps } from "../steps.ts";
import { toFieldSet } from "./to-field-set.ts";
import { validateValue } from "./validate-value.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The server's limit for all annotations together, in bytes. */
const maxAnnotationsSize = 256 * 1024;

/** The conflicts that are left when `kubectl` may take what it applied by its annotation and nobody changed since. */
export function* allowedByLastApplied(
  live: Readonly<JsonObject>,
  conflicts: readonly Conflict[],
  options: FieldManagerOptions,
): Steps<readonly Conflict[]> {
  const allowed = yield* lastAppliedFields(live, options);
  const left = conflicts.map(({ manager, fields }) => ({ manager, fields: difference(fields, allowed) }));
  return left.filter(({ fields }) => !isEmptySet(fields));
}

/** Keeps the annotation of an object that has one in step with what is applied now. */
export function withLastApplied(
  object: Readonly<JsonObject>,
  applied: Readonly<JsonObject>,
): Readonly<JsonObject> {
  const annotations = annotationsOf(object);
  if (lastAppliedText(object) === undefined) return object;
  const { [annotation]: _, ...others } = annotations;
  const { [annotation]: __, ...appliedOthers } = annotationsOf(applied);
  const hasAnnotations = metaOf(applied)["annotations"] !== undefined;
  const bare = withMeta(applied, "annotations", hasAnnotations ? appliedOthers : undefined);
  const updated = { ...others, [annotation]: `${sortedJson(bare)}\n` };
  return withMeta(object, "annotations", sizeOf(updated) > maxAnnotationsSize ? others : updated);
}

function* lastAppliedFields(
  live: Readonly<JsonObject>,
  { schema, apiVersion }: FieldManagerOptions,
): Steps<FieldSet> {
  const text = lastAppliedText(live);
  if (text === undefined) return emptySet;
  try {
    const lastApplied = parseJsonExactly(text);
    if (!isJsonObject(lastApplied) || lastApplied["apiVersion"] !== apiVersion) return emptySet;
    yield;
    validateValue(schema, live, { allowDuplicates: false });
    yield;
    validateValue(schema, lastApplied, { allowDuplicates: false });
    yield;
    const { added, modified, removed } = yield* compareValuesInSteps(schema, lastApplied, live);
    yield;
    return [modified, added, removed].reduce(difference, toFieldSet(schema, lastApplied));
  } catch {
    return emptySet;
  }
}

function lastAppliedText(object: Readonly<JsonObject>): string | undefined {
  const text = getOwn(annotationsOf(object), annotation);
  return typeof text === "string" && text !== "" ? text : undefined;
}

function annotationsOf(object: Readonly<JsonObject>): Readonly<JsonObject> {
  const { annotations } = metaOf(object);
  return isJsonObject(annotations) ? annotations : {};
}

function sizeOf(annotations: Readonly<JsonObject>): number {
  return Object.entries(annotations).reduce(
    (size, [name, value]) => size + byteLength(name) + byteLength(String(value)),
    0,
  );
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Go's encoder writes keys in order. */
function sortedJson(value: unknown): string {
  return goJson(value, (_, item: unknown) =>
    isJsonObject(item) && !JSON.isRawJSON(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => compareText(a, b)))
      : item,
  );
}
