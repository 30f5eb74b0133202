import type { DeepReadonly, StoredObject } from "@kedge/machinery";

/** What informers know of any object, whatever its kind. */
export type StoredView = DeepReadonly<StoredObject>;

/**
 * Takes one type for another where a kind's descriptor is what promises it: inside, an informer knows only metadata; its
 * readers know the type of their kind. The one place of this package where a type is stated and not checked.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the promise
export function promised<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return value as T;
}
