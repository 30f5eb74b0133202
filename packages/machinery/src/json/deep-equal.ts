import { isJsonList, isJsonObject, type JsonObject } from "../json-value.ts";

/** Whether two values mean the same JSON: the order of keys does not count, and undefined is as good as absent. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isJsonList(a)) return isJsonList(b) && equalLists(a, b);
  return isJsonObject(a) && isJsonObject(b) && equalObjects(a, b);
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  let surplus = 0;
  // Not Object.keys: for JSON data this is the same, and faster.
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !deepEqual(value, b[key])) return false;
    surplus--;
  }
  for (const key in b) {
    if (b[key] !== undefined) surplus++;
  }
  return surplus === 0;
}
