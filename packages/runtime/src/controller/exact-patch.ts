import type { PartClient } from "@kedge/client";
import { deepFreeze, keyOf, type Kind, type Scope, type StoredObject } from "@kedge/machinery";
import { cutManagedFields } from "../informer/kept-object.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { WritingContext } from "./types.ts";

/** A change of one version of one object. */
export interface ExactPatch {
  readonly object: StoredView;
  /** A merge patch. */
  readonly change: { readonly metadata?: object; readonly status?: unknown };
  readonly subresource?: "status";
}

/** Patches that very version of that very object; a conflict says that it is another by now. */
export async function patchExact<T, S extends Scope, Sub extends string>(
  { client, signal }: WritingContext,
  kind: Kind<T, S, Sub>,
  { object, change, subresource }: ExactPatch,
): Promise<StoredView> {
  const { uid, resourceVersion } = object.metadata;
  const merge = { ...change, metadata: { ...change.metadata, uid, resourceVersion } };
  const resource = client.of(promised<Kind<StoredObject, Scope, "status">>(kind));
  const verbs: Pick<PartClient<StoredObject, Scope>, "patch"> = subresource === undefined
    ? resource
    : resource[subresource];
  const answer = await verbs.patch(promised(keyOf(object)), { merge }, { signal });
  cutManagedFields(answer);
  return deepFreeze(answer);
}

/** The cache may have seen more of the object than the run began with, such as what the run itself wrote. */
export function newestOf<T, S extends Scope, Sub extends string>(
  context: Pick<WritingContext, "read">,
  kind: Kind<T, S, Sub>,
  object: StoredView,
): StoredView {
  const newest = promised<StoredView | undefined>(context.read(kind).get(keyOf(object)));
  return newest?.metadata.uid === object.metadata.uid ? newest : object;
}
