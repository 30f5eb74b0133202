import { isOwnedBy, uid, type Kind, type Scope } from "@kedge/machinery";
import type { EventSubject } from "../events/types.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { Cached } from "../informer/types.ts";
import { newestOf, patchExact } from "./exact-patch.ts";
import type { WritingContext } from "./types.ts";

/** Takes the reference to an owner off a child, so that it outlives it. Nothing is sent when there is none. */
export async function disownChild<T, S extends Scope, Sub extends string>(
  context: WritingContext,
  kind: Kind<T, S, Sub>,
  child: Cached<T>,
  owner: EventSubject,
): Promise<void> {
  const object = newestOf(context, kind, promised<StoredView>(child));
  const ownerUid = uid(owner.metadata.uid ?? "");
  if (!isOwnedBy(object, { metadata: { uid: ownerUid } })) return;
  const kept = (object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== ownerUid);
  const ownerReferences = kept.length === 0 ? null : kept;
  await patchExact(context, kind, { object, change: { metadata: { ownerReferences } } });
}
