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
  /** Its owners do not wait for it any more. */
  | { readonly type: "unblock owners"; readonly node: Node }
  | { readonly type: "drop finalizer"; readonly node: Node; readonly finalizer: string };

/** What is known of an owner. */
export type OwnerState = "there" | "absent" | "waits for us";

/** What the plan is made from. */
export interface CollectorView {
  readonly node: Node;
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
  const isWaitedFor = states.some(({ state }) => state === "waits for us");
  if (isWaitedFor && dependents.length > 0) {
    // What it owns waits too: in a circle each would wait for the next, so it lets its own owners go first.
    const blocks = owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    if (blocks && dependents.some(({ object }) => isWaiting(object)))
      return [{ type: "unblock owners", node }];
    return [{ type: "delete", node, propagation: "Foreground" }];
  }
  return [{ type: "delete", node, propagation: propagationBy(finalizers) }];
}

/** As the object itself asks. */
function propagationBy(finalizers: readonly string[]): "Foreground" | "Background" | "Orphan" {
  if (finalizers.includes(orphan)) return "Orphan";
  return finalizers.includes(foreground) ? "Foreground" : "Background";
}

/** Whether an object's deletion waits for what it owns. */
export function isWaiting({ metadata }: Node["object"]): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(foreground);
}
