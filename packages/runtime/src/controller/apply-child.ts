import type { ApplyObject, Client } from "@kedge/client";
import {
  deepFreeze,
  keyOf,
  OwnershipError,
  uid,
  withController,
  type DeepReadonly,
  type Kind,
  type ObjectKey,
  type Scope,
  type StoredObject,
} from "@kedge/machinery";
import type { EventSubject } from "../events/types.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { AppliedFields, Cached, Informer } from "../informer/types.ts";
import type { ApplyChildOptions } from "./types.ts";
import { wouldChange } from "./would-change.ts";

/** Applies the children of one controller. */
export class ChildApplier {
  readonly #client: Client;
  readonly #manager: string;
  /**
   * The text of what made a field set. While the set is the same, nobody else has changed a field of it: what was sent
   * last is still in force, also where the server writes a value in another way than we do.
   */
  readonly #sent = new WeakMap<AppliedFields, string>();

  constructor(client: Client, manager: string) {
    this.#client = client;
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
    },
  ): Promise<Cached<K>> {
    const informer = promised<Informer<StoredObject> | undefined>(options.informer);
    const key = keyOf(promised<{ metadata: { name: string } }>(desired));
    const held = informer?.get(key);
    const wanted = options.owner === undefined ? desired : owned(desired, held, options.owner);
    const text = JSON.stringify(wanted);
    const fields = informer?.appliedBy(key, this.#manager);
    if (held !== undefined && fields !== undefined && !this.#isNews({ wanted, text, held, fields })) {
      return promised<Cached<K>>(held);
    }
    const answer = await this.#client
      .of(kind)
      .apply(wanted, { fieldManager: this.#manager, force: true, signal: options.signal });
    return promised<Cached<K>>(this.#remember(informer, key, { answer: promised(answer), text }));
  }

  #isNews(send: {
    readonly wanted: object;
    readonly text: string;
    readonly held: StoredView;
    readonly fields: AppliedFields;
  }): boolean {
    const { wanted, text, held, fields } = send;
    if (this.#sent.get(fields) === text) return false;
    return wouldChange({ desired: wanted, live: held, fields: JSON.parse(fields.fields) });
  }

  /** The cache's own object when it is the one that was answered. */
  #remember(
    informer: Informer<StoredObject> | undefined,
    key: ObjectKey,
    { answer, text }: { readonly answer: StoredObject; readonly text: string },
  ): StoredView {
    const held = informer?.get(key);
    if (held?.metadata.resourceVersion !== answer.metadata.resourceVersion) {
      delete answer.metadata.managedFields;
      return deepFreeze(answer);
    }
    const fields = informer?.appliedBy(key, this.#manager);
    if (fields !== undefined) this.#sent.set(fields, text);
    return held;
  }
}

/** What is to be applied, with its owner. Throws when what there is belongs to another. */
function owned<T extends object>(desired: T, held: StoredView | undefined, owner: EventSubject): T {
  const { apiVersion, kind, metadata } = owner;
  if (metadata.uid === undefined || metadata.uid === "") {
    throw new OwnershipError(
      "Incomplete",
      `owner ${kind} ${metadata.name}: metadata.uid must be set: only what is stored can own something`,
    );
  }
  const stored = { apiVersion, kind, metadata: { ...metadata, uid: uid(metadata.uid) } };
  if (held !== undefined) withController(held, stored);
  return promised<T>(withController(promised<StoredView>(desired), stored));
}
