import type { OwnerReference } from "@kedge/machinery";
import type { Node } from "./graph.ts";

/** Deletion waits for what the object owns. */
export const foreground = "foregroundDeletion";
/** What the object owns is set free first. */
export const orphan = "orphan";

/** What to do about one object. */
export type CollectorAction =
  | {
      readonly type: "delete";
      readonly node: Node;
      readonly propagation: "Foreground" | "Background" | "Orphan";
    }
  | { readonly type: "drop owners"; readonly node: Node; readonly uids: readonly string[] }
  | { readonly type: "drop finalizer"; readonly node: Node; readonly finalizer: string };

/** What is known of an owner. */
export type OwnerState = "there" | "absent" | "waits for us";

/** What the plan is made from. */
export interface CollectorView {
  readonly node: Node;
  /** Undefined owners were not looked up: they are there. */
  readonly ownerState: (owner: Readonly<OwnerReference>) => OwnerState;
  readonly dependents: readonly Node[];
}

/** What Kubernetes' rules of ownership ask for. */
export function planCollection(view: CollectorView): readonly CollectorAction[] {
  const { metadata } = view.node.object;
  const finalizers = metadata.finalizers ?? [];
  if (metadata.deletionTimestamp !== undefined) {
    if (finalizers.includes(orphan)) return setFree(view);
    return finalizers.includes(foreground) ? deleteDependents(view) : [];
  }
  return judgeByOwners(view, finalizers);
}

function setFree({ node, dependents }: CollectorView): readonly CollectorAction[] {
  const { uid } = node.object.metadata;
  return [
    ...dependents.map((dependent): CollectorAction => ({
      type: "drop owners",
      node: dependent,
      uids: [uid],
    })),
    { type: "drop finalizer", node, finalizer: orphan },
  ];
}

/** The object goes when no dependent is left that blocks it. */
function deleteDependents({ node, dependents }: CollectorView): readonly CollectorAction[] {
  const { uid } = node.object.metadata;
  const blocks = ({ object }: Node): boolean =>
    (object.metadata.ownerReferences ?? []).some(
      (owner) => owner.uid === uid && owner.blockOwnerDeletion === true,
    );
  return dependents.some(blocks) ? [] : [{ type: "drop finalizer", node, finalizer: foreground }];
}

function judgeByOwners(
  { node, ownerState, dependents }: CollectorView,
  finalizers: readonly string[],
): readonly CollectorAction[] {
  const owners = node.object.metadata.ownerReferences ?? [];
  if (owners.length === 0) return [];
  const states = owners.map((owner) => ({ uid: owner.uid, state: ownerState(owner) }));
  const gone = states.filter(({ state }) => state !== "there");
  if (gone.length === 0) return [];
  if (gone.length < states.length) return [{ type: "drop owners", node, uids: gone.map(({ uid }) => uid) }];
  const waited = states.some(({ state }) => state === "waits for us");
  return [{ type: "delete", node, propagation: propagationFor({ waited, finalizers, dependents }) }];
}

interface DeletionView {
  readonly waited: boolean;
  readonly finalizers: readonly string[];
  readonly dependents: readonly Node[];
}

/** As its own finalizers ask; in the foreground if its owner waits and it owns something itself. */
function propagationFor({
  waited,
  finalizers,
  dependents,
}: DeletionView): "Foreground" | "Background" | "Orphan" {
  if (finalizers.includes(orphan)) return "Orphan";
  if (finalizers.includes(foreground)) return "Foreground";
  return waited && dependents.length > 0 ? "Foreground" : "Background";
}
