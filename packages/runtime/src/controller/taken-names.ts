import { keyOf, keyToString, OwnershipError, type Kind, type ObjectKey } from "@kedge/machinery";
import { kindName } from "../informer/kind-name.ts";
import type { StoredView } from "../informer/stored-view.ts";

/** More than these are not remembered; the back-off finds them, too. */
const most = 10_000;

/**
 * Names that a controller wanted for children and found taken by others. An owner reference leads from a child to whom it
 * concerns; from a stranger's object nothing does. So that its owner is looked at again when it changes or goes, it is
 * remembered here.
 */
export class TakenNames {
  readonly #owners = new Map<string, ObjectKey>();

  /** Remembers who wanted the name, if that is why it failed. */
  note(
    error: unknown,
    wanted: { readonly kind: Kind<unknown>; readonly key: ObjectKey; readonly by: ObjectKey },
  ): void {
    if (!(error instanceof OwnershipError)) return;
    const { kind, key, by } = wanted;
    this.#owners.set(nameOf(kind, key), by);
    if (this.#owners.size <= most) return;
    const [oldest] = this.#owners.keys();
    if (oldest !== undefined) this.#owners.delete(oldest);
  }

  /** Who wanted the name of this object, which has changed: told once. */
  wantedBy(kind: Kind<unknown>, object: StoredView): ObjectKey | undefined {
    if (this.#owners.size === 0) return undefined;
    const name = nameOf(kind, keyOf(object));
    const owner = this.#owners.get(name);
    this.#owners.delete(name);
    return owner;
  }
}

function nameOf(kind: Kind<unknown>, key: ObjectKey): string {
  return `${kindName(kind)} ${keyToString(key)}`;
}
