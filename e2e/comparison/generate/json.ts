import type { Random } from "@kedge/machinery";
import { isObject, type JsonObject } from "../json.ts";
import { oneOf, some, weighted } from "./choose.ts";

/** Keys that are hard on JSON pointers, among ordinary ones. */
const keys = ["a", "b", "c", "d", "a/b", "m~n", "0", "1", "-", "é", "~1", " "];

/** Any JSON value, nested at most so deep. */
export function anyJson(random: Random, depth: number): unknown {
  if (depth === 0) return anyScalar(random);
  return weighted<unknown>(random, [
    [3, () => anyScalar(random)],
    [3, () => anyObject(random, depth)],
    [2, () => some(random, [0, 4], () => anyJson(random, depth - 1))],
  ]);
}

/** Any JSON object, nested at most so deep. */
export function anyObject(random: Random, depth: number): JsonObject {
  return Object.fromEntries(some(random, [0, 4], () => [oneOf(random, keys), anyJson(random, depth - 1)]));
}

/** Any text, number or truth value, or null. */
function anyScalar(random: Random): unknown {
  return oneOf<unknown>(random, [
    "",
    "x",
    "y",
    "a longer one",
    "<&>",
    0,
    1,
    -7,
    1.5,
    1e21,
    true,
    false,
    null,
  ]);
}

/** JSON pointers to everything in a document, lists' ends included. */
export function pointersIn(value: unknown, at = ""): string[] {
  if (Array.isArray(value)) {
    const items = value.flatMap((item, index) => pointersIn(item, `${at}/${index}`));
    return [at, ...items, `${at}/-`, `${at}/${value.length}`, `${at}/-1`];
  }
  if (!isObject(value)) return [at];
  const fields = Object.entries(value).flatMap(([key, child]) => pointersIn(child, `${at}/${escaped(key)}`));
  return [at, ...fields, `${at}/${escaped("new/~")}`];
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
