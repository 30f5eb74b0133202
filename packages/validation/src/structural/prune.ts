import { isJsonList, isJsonObject, type JsonObject } from "@kedge/machinery";
import type { Structural } from "./structural.ts";

/** Drops the fields that the schema does not know, in place. Gives their paths, sorted: `spec.list[0].bogus`. */
export function prune(value: unknown, shape: Structural): string[] {
  const dropped: string[] = [];
  pruneValue(value, shape, { steps: [], dropped });
  return dropped.toSorted();
}

interface Walk {
  readonly steps: string[];
  readonly dropped: string[];
}

function pruneValue(value: unknown, shape: Structural | undefined, walk: Walk): void {
  if (shape?.preserve === true) keepUnknown(value, shape, walk);
  else if (isJsonObject(value)) pruneObject(value, shape, walk);
  else if (isJsonList(value)) {
    for (const [index, item] of value.entries())
      at(walk, `[${index}]`, () => pruneValue(item, shape?.items, walk));
  }
}

function pruneObject(object: JsonObject, shape: Structural | undefined, walk: Walk): void {
  for (const key of Object.keys(object)) {
    if (shape?.embedded === true && isMetaField(key)) continue;
    const property = shape?.properties.get(key);
    if (property !== undefined || shape?.additional !== undefined) {
      const part = property ?? shape?.additional?.schema;
      at(walk, dotted(walk, key), () => pruneValue(object[key], part, walk));
      continue;
    }
    walk.dropped.push(`${walk.steps.join("")}${dotted(walk, key)}`);
    delete object[key];
  }
}

/** Unknown fields stay, what the schema describes is pruned nevertheless. */
function keepUnknown(value: unknown, shape: Structural | undefined, walk: Walk): void {
  if (shape === undefined) return;
  if (isJsonList(value)) {
    for (const [index, item] of value.entries())
      at(walk, `[${index}]`, () => keepUnknown(item, shape.items, walk));
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) {
    if (shape.embedded && isMetaField(key)) continue;
    const property = shape.properties.get(key);
    if (property === undefined && shape.additional === undefined) continue;
    const part = property ?? shape.additional?.schema;
    at(walk, dotted(walk, key), () => pruneValue(value[key], part, walk));
  }
}

function isMetaField(key: string): boolean {
  return key === "apiVersion" || key === "kind" || key === "metadata";
}

function dotted(walk: Walk, key: string): string {
  return walk.steps.length === 0 ? key : `.${key}`;
}

function at(walk: Walk, step: string, visit: () => void): void {
  walk.steps.push(step);
  visit();
  walk.steps.pop();
}
