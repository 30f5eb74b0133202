import { placesAt, type Place } from "../script/json-pointer.ts";
import type { Shape } from "../script/script.ts";

/** What a step wants to have recorded of a value: a copy without the rest. */
export function shaped(value: unknown, { only, ignore }: Shape): unknown {
  const copy = structuredClone(value);
  for (const place of (ignore ?? []).flatMap((pointer) => placesAt(copy, pointer)).toReversed())
    remove(place);
  if (only === undefined) return copy;
  const kept = only.flatMap((pointer) => placesAt(copy, pointer));
  return Object.fromEntries(kept.map((place) => [place.pointer, place.value]));
}

/** Sorts the lists whose order means nothing. `text` is what to sort by. */
export function sortUnordered(value: unknown, { unordered }: Shape): void {
  for (const { value: list } of (unordered ?? []).flatMap((pointer) => placesAt(value, pointer))) {
    if (Array.isArray(list)) list.sort((a, b) => compareTexts(JSON.stringify(a), JSON.stringify(b)));
  }
}

/** By code units: the same on every machine. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function remove({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (parent !== undefined) delete parent[key];
}
