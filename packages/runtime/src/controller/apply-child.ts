import type { ApplyObject, Client } from "@kedge/client";
import {
  conflict,
  deepFreeze,
  findStatus,
  ifFound,
  keyOf,
  type DeepReadonly,
  type Kind,
  type ObjectKey,
  type Scope,
  type StoredObject,
} from "@kedge/machinery";
import { cutManagedFields } from "../informer/kept-object.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { AppliedFields, Cached, Informer } from "../informer/types.ts";
import { orderText } from "./list-order.ts";
import { checkOwnership, owned } from "./ownership.ts";
import { mustBeKept, type OwnedKind } from "./owns.ts";
import { replaceDuplicates } from "./replace-duplicates.ts";
import type { ApplyChildOptions } from "./types.ts";
import { wouldChange } from "./would-change.ts";

/**
 * A version that no object has: storage begins to count above it. A server creates what is applied with it, and refuses
 * to merge it into anything that exists.
 */
const versionOfNothing = "1";

/** Applies the children of one controller. */
export class ChildApplier {
  readonly #manager: string;
  /**
   * What made a field set. While the set is the same and lists have their order, nobody else has changed a field of it:
   * what was sent last is still in force, also where the server writes a value in another way than we do.
   */
  readonly #sent = new WeakMap<AppliedFields, { readonly text: string; readonly order: string }>();

  constructor(manager: string) {
    this.#manager = manager;
  }

  /** Server-side apply, sent only when the cache does not show that it would change nothing. */
  async apply<K, S extends Scope, Sub extends string>(
    kind: Kind<K, S, Sub>,
    desired: DeepReadonly<ApplyObject<K>>,
    options: ApplyChildOptions & {
      /** Of the kind; undefined when it is not watched: then it is always sent. */
      readonly informer: Informer<K> | undefined;
      readonly signal: AbortSignal;
      readonly client: Client;
      /** How its children are known; undefined when the kind is none of `owns`. */
      readonly ownedKind: OwnedKind | undefined;
      /** Told of what has the name and is not ours. */
      readonly taken: (found: StoredView) => void;
    },
  ): Promise<Cached<K>> {
    const { owner, outlivesBy, signal, client, ownedKind } = options;
    mustHaveNamespace(kind, promised<StoredView>(desired));
    const labels = ownedKind?.labels;
    const wanted = owner === undefined ? desired : owned(desired, { owner, outlivesBy, labels });
    const child: Child = {
      kind: promised<Kind<StoredObject>>(kind),
      key: keyOf(promised<{ metadata: { name: string } }>(desired)),
      wanted: promised<Wanted>(wanted),
      text: JSON.stringify(wanted),
      informer: promised<Informer<StoredObject> | undefined>(options.informer),
      signal,
      client,
    };
    if (owner === undefined)
      return promised<Cached<K>>(await this.#send(child, child.informer?.get(child.key), {}));
    if (ownedKind !== undefined) mustBeKept(ownedKind, promised<StoredView>(wanted));
    // A cache that is filtered or behind does not show what is there: who takes over must have looked.
    const shown = child.informer?.get(child.key);
    const found = shown ?? (await this.#read(child));
    if (found === undefined) return promised<Cached<K>>(await this.#create(child));
    try {
      checkOwnership(kind, found, { owner, outlivesBy });
    } catch (error) {
      options.taken(found);
      throw error;
    }
    if (shown === undefined && ownedKind?.isKept(found) === false) await this.#mark(child, found);
    return promised<Cached<K>>(await this.#send(child, found, { uid: found.metadata.uid }));
  }

  /** Not forced, and a conflict when something of that name has come meanwhile: the next run will see what. */
  async #create(child: Child): Promise<StoredView> {
    const answer = await this.#apply(child, { resourceVersion: versionOfNothing }, false);
    return this.#remember(child, answer);
  }

  /**
   * Ours, and without the label by which the cache keeps it: made by a version that gave none, or taken off. It gets it,
   * and nothing else: what is wanted was decided without having seen it. The conflict is a run with the child in view.
   */
  async #mark({ kind, key, wanted, signal, client }: Child, { metadata }: StoredView): Promise<never> {
    const { labels } = promised<StoredView>(wanted).metadata;
    const { uid, resourceVersion } = metadata;
    const merge = { metadata: { labels, uid, resourceVersion } };
    await client.of(kind).patch(promised(key), { merge }, { fieldManager: this.#manager, signal });
    throw conflict(kind, key.name, "it had lost the label by which it is seen, and has it again");
  }

  /** Forced: our fields are as we want them, in that very object if there is a `uid`. */
  async #send(
    child: Child,
    found: StoredView | undefined,
    exactly: { readonly uid?: string },
  ): Promise<StoredView> {
    const held = child.informer?.get(child.key);
    if (held !== undefined && !this.#isNews(child, held)) return held;
    try {
      return this.#remember(child, await this.#apply(child, exactly, true));
    } catch (error) {
      const json = found === undefined ? undefined : replaceDuplicates(child.wanted, found, error);
      if (json === undefined) throw error;
      const { kind, key, signal, client } = child;
      await client.of(kind).patch(promised(key), { json }, { fieldManager: this.#manager, signal });
      return this.#remember(child, await this.#apply(child, exactly, true));
    }
  }

  async #apply(child: Child, exactly: object, force: boolean): Promise<StoredObject> {
    const { kind, key, wanted, signal, client } = child;
    const exact = { ...wanted, metadata: { ...wanted.metadata, ...exactly } };
    try {
      const options = { fieldManager: this.#manager, force, signal };
      return await client.of(kind).apply(promised(exact), options);
    } catch (error) {
      // Servers take another uid for an attempt to change it.
      const isOther =
        findStatus(error)?.details?.causes?.some(({ field }) => field === "metadata.uid") ?? false;
      throw isOther ? conflict(kind, key.name) : error;
    }
  }

  async #read({ kind, key, signal, client }: Child): Promise<StoredView | undefined> {
    return await ifFound(client.of(kind).get(promised(key), { signal }));
  }

  #isNews({ wanted, text, informer, key }: Child, held: StoredView): boolean {
    const applied = informer?.appliedBy(key, this.#manager);
    if (applied === undefined) return true;
    const fields: unknown = JSON.parse(applied.fields);
    const sent = this.#sent.get(applied);
    if (sent?.text === text && sent.order === orderText(held, fields)) return false;
    return wouldChange({ desired: wanted, live: held, fields });
  }

  /** The cache's own object when it is the one that was answered. */
  #remember({ informer, key, text }: Child, answer: StoredObject): StoredView {
    const held = informer?.get(key);
    if (held?.metadata.resourceVersion !== answer.metadata.resourceVersion) {
      cutManagedFields(answer);
      return deepFreeze(answer);
    }
    const applied = informer?.appliedBy(key, this.#manager);
    if (applied !== undefined) {
      this.#sent.set(applied, { text, order: orderText(held, JSON.parse(applied.fields)) });
    }
    return held;
  }
}

/** A server would answer with a path that it does not know. */
function mustHaveNamespace<K, S extends Scope, Sub extends string>(
  { kind, scope }: Kind<K, S, Sub>,
  { metadata: { name, namespace } }: StoredView,
): void {
  if (scope === "Cluster" || namespace !== undefined) return;
  throw new TypeError(`apply(${kind} ${name}): metadata.namespace must be set: ${kind} is in namespaces`);
}

type Wanted = object & { readonly metadata: object };

/** What is to be applied, whatever its kind. */
interface Child {
  readonly kind: Kind<StoredObject>;
  readonly key: ObjectKey;
  readonly wanted: Wanted;
  readonly text: string;
  readonly informer: Informer<StoredObject> | undefined;
  readonly signal: AbortSignal;
  readonly client: Client;
}
