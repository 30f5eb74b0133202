import type { OwnerReference } from "@kedge/machinery";

/** As many as the original remembers. */
const most = 500;

/**
 * Owners of whom the server has said that they are gone: it need not be asked again for each of their dependents, as a
 * uid never comes back. Known by all that the server was asked: the same uid under another name, or from another
 * namespace, is another question.
 */
export class AbsentOwners {
  readonly #known = new Set<string>();

  has(owner: Readonly<OwnerReference>, namespace: string | undefined): boolean {
    return this.#known.has(textOf(owner, namespace));
  }

  add(owner: Readonly<OwnerReference>, namespace: string | undefined): void {
    this.#known.add(textOf(owner, namespace));
    if (this.#known.size <= most) return;
    const [oldest] = this.#known;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

function textOf({ apiVersion, kind, name, uid }: Readonly<OwnerReference>, namespace = ""): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}
