import { fieldDuplicate, fieldTooMany, type FieldError, type FieldPath } from "@kedge/machinery";
import { repeated } from "../repeated.ts";

/** How the items of a list are checked. */
export interface SetRules<T> {
  /** How many there may be. */
  readonly most: number;
  /** What no two may have in common. */
  readonly key: (item: T) => string;
  readonly item: (item: T, path: FieldPath) => readonly FieldError[];
}

/** What is wrong with a list whose items are told apart by a name. */
export function validateSet<T>(
  items: readonly T[],
  path: FieldPath,
  { most, key, item }: SetRules<T>,
): FieldError[] {
  if (items.length > most) return [fieldTooMany(path, items.length, most)];
  const second = repeated(items, key);
  return [
    ...items.flatMap((each, i) => item(each, path.index(i))),
    ...items.flatMap((each, i) => (second.has(i) ? [fieldDuplicate(path.index(i), key(each))] : [])),
  ];
}
