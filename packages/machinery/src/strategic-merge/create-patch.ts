import type { JsonObject } from "../json-value.ts";
import type { TypeSchema } from "../type-schema/type-schema.ts";
import { diffObjects } from "./diff-objects.ts";
import { mergeObjects } from "./merge-objects.ts";

/** The strategic merge patch that makes `modified` of `original`; empty when they are the same. */
export function createStrategicPatch(
  original: Readonly<JsonObject>,
  modified: Readonly<JsonObject>,
  schema: TypeSchema,
): JsonObject {
  return diffObjects(original, modified, { type: schema, changes: true, deletions: true, retainKeys: false });
}

/** The three states that `kubectl apply` looks at. */
export interface ThreeWay {
  /** What was applied last time. */
  readonly original: Readonly<JsonObject>;
  /** What is to be applied. */
  readonly modified: Readonly<JsonObject>;
  /** What is there. */
  readonly current: Readonly<JsonObject>;
}

/**
 * The strategic merge patch by which `kubectl apply` changes an object: it sets what is to be applied and is not so,
 * and deletes what was applied and is not any more. What others have set besides stays.
 */
export function createThreeWayPatch(
  { original, modified, current }: ThreeWay,
  schema: TypeSchema,
): JsonObject {
  const context = { type: schema, retainKeys: false };
  const changes = diffObjects(current, modified, { ...context, changes: true, deletions: false });
  const deletions = diffObjects(original, modified, { ...context, changes: false, deletions: true });
  return mergeObjects(deletions, changes, { type: schema, target: "patch" });
}
