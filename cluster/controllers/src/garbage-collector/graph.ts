import type { DynamicObject, ServedKind } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";

/** An object as the collector sees it. */
export interface Node {
  readonly kind: ServedKind;
  readonly object: DeepReadonly<DynamicObject>;
}

/** Who is there, and who owns whom. */
export interface OwnerGraph {
  get(uid: string): Node | undefined;
  /** The objects that name this one as an owner. */
  dependents(uid: string): readonly Node[];
  set(node: Node): void;
  remove(uid: string): void;
}

/** An empty graph. */
export function createOwnerGraph(): OwnerGraph {
  const nodes = new Map<string, Node>();
  const dependents = new Map<string, Set<string>>();
  const unlink = (uid: string): void => {
    for (const owner of nodes.get(uid)?.object.metadata.ownerReferences ?? []) {
      const others = dependents.get(owner.uid);
      others?.delete(uid);
      if (others?.size === 0) dependents.delete(owner.uid);
    }
  };
  return {
    get: (uid) => nodes.get(uid),
    dependents: (uid) => [...(dependents.get(uid) ?? [])].flatMap((dependent) => nodes.get(dependent) ?? []),
    set(node) {
      const { uid, ownerReferences = [] } = node.object.metadata;
      unlink(uid);
      nodes.set(uid, node);
      for (const owner of ownerReferences) {
        const others = dependents.get(owner.uid) ?? new Set();
        others.add(uid);
        dependents.set(owner.uid, others);
      }
    },
    remove(uid) {
      unlink(uid);
      nodes.delete(uid);
    },
  };
}
