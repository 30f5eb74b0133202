import type { DeepReadonly, ObjectKey } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

/**
 * The pods that were tried and have no node yet. When something changes they are taken out of here and into the queue:
 * until they have been tried again, further changes do not queue them a second time.
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
