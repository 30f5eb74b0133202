import type { Condition } from "../script/script.ts";

/** Is an answer as it should be? */
export function isMet(answer: { status: number; body: { value?: unknown } }, condition: Condition): boolean {
  const { status, body } = condition;
  return (
    (status === undefined || answer.status === status) &&
    (body === undefined || contains(answer.body.value, body))
  );
}

/** Objects have the given keys, lists have an element for each given one, the rest is equal. */
function contains(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && wanted.every((item) => value.some((element) => contains(element, item)));
  }
  const given = new Map<string, unknown>(Object.entries(value));
  return Object.entries(wanted).every(([key, item]) => contains(given.get(key), item));
}
