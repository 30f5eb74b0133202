import { getOwn, isJsonList, isJsonObject } from "../json-value.ts";

/** A condition of any age: only type and status are sure to be there. */
export interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** The value at a path; undefined when something on the way is missing. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const key of path) value = isJsonObject(value) ? getOwn(value, key) : undefined;
  return value;
}

/** The whole number at a path of dots, or undefined. */
export function intAt(object: unknown, path: string): number | undefined {
  const value = valueAt(object, path.split("."));
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}

/** The text at a path of dots, or undefined. */
export function stringAt(object: unknown, path: string): string | undefined {
  const value = valueAt(object, path.split("."));
  return typeof value === "string" ? value : undefined;
}

/** The list at a path of dots; empty when there is none. */
export function listAt(object: unknown, path: string): readonly unknown[] {
  const value = valueAt(object, path.split("."));
  return isJsonList(value) ? value : [];
}

/** The conditions in an object's status. */
export function conditionsOf(object: unknown): readonly AnyCondition[] {
  return listAt(object, "status.conditions").map((condition) => ({
    type: stringAt(condition, "type") ?? "",
    status: stringAt(condition, "status") ?? "",
    reason: stringAt(condition, "reason") ?? "",
    message: stringAt(condition, "message") ?? "",
    lastTransitionTime: stringAt(condition, "lastTransitionTime") ?? "",
  }));
}
