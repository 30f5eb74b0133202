import type { Kind, Scope } from "@kedge/machinery";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { Cached } from "../informer/types.ts";
import { newestOf, patchExact } from "./exact-patch.ts";
import type { WritingContext } from "./types.ts";

/**
 * Puts a finalizer on an object, unless it has it: the object stays until `removeFinalizer`. Gives the object as it is
 * then. Fails with a conflict when the object has changed since it was read.
 */
export function ensureFinalizer<T, S extends Scope, Sub extends string>(
  context: WritingContext,
  kind: Kind<T, S, Sub>,
  object: Cached<T>,
  finalizer: string,
): Promise<Cached<T>> {
  const add: Change = (held) => (held.includes(finalizer) ? held : [...held, finalizer]);
  return changeFinalizers(context, kind, object, add);
}

/** Takes a finalizer from an object, if it has it. The last one of an object that is being deleted lets it go. */
export function removeFinalizer<T, S extends Scope, Sub extends string>(
  context: WritingContext,
  kind: Kind<T, S, Sub>,
  object: Cached<T>,
  finalizer: string,
): Promise<Cached<T>> {
  const remove: Change = (held) => held.filter((other) => other !== finalizer);
  return changeFinalizers(context, kind, object, remove);
}

type Change = (held: readonly string[]) => readonly string[];

async function changeFinalizers<T, S extends Scope, Sub extends string>(
  context: WritingContext,
  kind: Kind<T, S, Sub>,
  object: Cached<T>,
  change: Change,
): Promise<Cached<T>> {
  const newest = newestOf(context, kind, promised<StoredView>(object));
  const held = newest.metadata.finalizers ?? [];
  const finalizers = change(held);
  if (finalizers.length === held.length) return promised<Cached<T>>(newest);
  return promised<Cached<T>>(
    await patchExact(context, kind, { object: newest, change: { metadata: { finalizers } } }),
  );
}
