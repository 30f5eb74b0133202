import type { OwnerReference } from "@kedge/machinery";
import type { CollectorAction } from "./plan.ts";

/** An action that changes an object's metadata. */
export type PatchingAction = Exclude<CollectorAction, { readonly type: "delete" }>;

/** What it reads of the object. */
export interface PatchedMeta {
  readonly ownerReferences?: readonly Readonly<OwnerReference>[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

/** The metadata that an action changes, as it is to be. Lists are whole: the patch must carry the object's version. */
export function patchFor(
  action: PatchingAction,
  { ownerReferences = [], finalizers = [] }: PatchedMeta,
): { readonly ownerReferences: readonly OwnerReference[] } | { readonly finalizers: readonly string[] } {
  switch (action.type) {
    case "drop owners":
      return { ownerReferences: ownerReferences.filter(({ uid }) => !action.uids.includes(uid)) };
    case "unblock owners":
      return { ownerReferences: ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false })) };
    case "drop finalizer":
      return { finalizers: finalizers.filter((finalizer) => finalizer !== action.finalizer) };
  }
}
