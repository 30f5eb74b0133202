import type { DeepReadonly, ObjectKey } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

/**
 * The pods that were looked at and have no node yet. Others are in the queue anyway: so whatever changes brings each pod
 * back once, however many changes there are until it is looked at again.
 */
export class WaitingPods {
  readonly #keys = new Map<string, ObjectKey>();

  add({ metadata }: DeepReadonly<Pod>): void {
    const { uid, namespace, name } = metadata;
    this.#keys.set(uid, { namespace, name });
  }

  remove(uid: string): void {
    this.#keys.delete(uid);
  }

  /** Those that are to be looked at again: of one namespace, or all. */
  takeAll(namespace?: string): readonly ObjectKey[] {
    const keys: ObjectKey[] = [];
    for (const [uid, key] of this.#keys) {
      if (namespace !== undefined && key.namespace !== namespace) continue;
      keys.push(key);
      this.#keys.delete(uid);
    }
    return keys;
  }
}
