import type { Kind, Scope } from "@kedge/machinery";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { Cached } from "../informer/types.ts";
import { newestOf, patchExact } from "./exact-patch.ts";
import type { WritingContext } from "./types.ts";

/**
 * Puts a finalizer on an object, unless it has it: the object stays until `removeFinalizer`. Gives the object as it is
 * then. Fails with a conflict when the object has changed since it was read.
 */
export async function ensureFinalizer<T, S extends Scope, Sub extends string>(
  context: WritingContext,
  kind: Kind<T, S, Sub>,
  object: Cached<T>,
  finalizer: string,
): Promise<Cached<T>> {
  const newest = newestOf(context, kind, promised<StoredView>(object));
  const finalizers = newest.metadata.finalizers ?? [];
  if (finalizers.includes(finalizer)) return promised<Cached<T>>(newest);
  const metadata = { finalizers: [...finalizers, finalizer] };
  return promised<Cached<T>>(await patchExact(context, kind, { object: newest, change: { metadata } }));
}

/** Takes a finalizer from an object, if it has it. The last one of an object that is being deleted lets it go. */
export async function removeFinalizer<T, S extends Scope, Sub extends string>(
  context: WritingContext,
  kind: Kind<T, S, Sub>,
  object: Cached<T>,
  finalizer: string,
): Promise<Cached<T>> {
  const newest = newestOf(context, kind, promised<StoredView>(object));
  const finalizers = newest.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return promised<Cached<T>>(newest);
  const metadata = { finalizers: finalizers.filter((other) => other !== finalizer) };
  return promised<Cached<T>>(await patchExact(context, kind, { object: newest, change: { metadata } }));
}
