import type { Client, ObservedWrite } from "@kedge/client";
import {
  apiVersionOf,
  clone,
  isStatus,
  keyOf,
  keyToString,
  selectorMatches,
  type Clock,
  type Kind,
  type Logger,
  type ObjectKey,
  type Random,
  type StoredObject,
} from "@kedge/machinery";
import { byNamespace } from "./indexes.ts";
import { isGone } from "./is-gone.ts";
import { kindName, resourceName } from "./kind-name.ts";
import { ObjectCache, type Moments } from "./object-cache.ts";
import { isOnlyMetadata, metadataIn } from "./only-metadata.ts";
import { reflect, type ReflectorSink } from "./reflector.ts";
import { selected } from "./selected.ts";
import { promised, type StoredView } from "./stored-view.ts";
import { Switch } from "./switch.ts";
import type {
  AppliedFields,
  CacheSelection,
  FailingWatch,
  Informer,
  Index,
  InformerEvent,
  InformerOptions,
} from "./types.ts";

/** What an informer is made with. */
export interface ObjectInformerOptions {
  readonly client: Client;
  readonly kind: Kind<StoredObject>;
  readonly options: InformerOptions;
  /** One watch for each; `[undefined]`: one for all. */
  readonly namespaces: readonly (string | undefined)[];
  /** Whose field sets are kept. May grow. */
  readonly managers: ReadonlySet<string>;
  readonly moments: Moments;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Failing extends Pick<FailingWatch, "since" | "why"> {
  readonly isOpen: boolean;
}

type Handler = (event: InformerEvent<StoredObject>) => void;

/** The informer of one kind and selection: a cache, and one reflector for each namespace that fills it. */
export class ObjectInformer implements Informer<StoredObject> {
  readonly kind: Kind<StoredObject>;
  readonly name: string;
  /** What its objects are written to. */
  readonly resource: string;
  readonly #options: ObjectInformerOptions;
  readonly #isOnlyMetadata: boolean;
  readonly #cache: ObjectCache;
  readonly #isSelected: (object: StoredView) => boolean;
  readonly #handlers = new Set<Handler>();
  readonly #synced = new Switch();
  /** The namespaces whose first list is not here yet. */
  readonly #missing: Set<string | undefined>;
  /** The namespaces for which the server said that it does not know the kind. */
  readonly #unserved = new Set<string | undefined>();
  /** The namespaces whose watch fails, or is open again and has not proven itself. */
  readonly #failing = new Map<string | undefined, Failing>();
  readonly #servedHandlers = new Set<(isServed: boolean) => void>();

  constructor(options: ObjectInformerOptions) {
    this.kind = options.kind;
    this.name = kindName(options.kind);
    this.resource = resourceName(options.kind);
    this.#isOnlyMetadata = isOnlyMetadata(options.kind);
    this.#options = { ...options, logger: options.logger.with({ informer: this.name }) };
    this.#isSelected = selected(options.options);
    this.#missing = new Set(options.namespaces);
    this.#cache = new ObjectCache({
      managers: options.managers,
      moments: options.moments,
      emit: (event) => this.#emit(event),
      indexFailed: (index, object, error) => this.#indexFailed(index, object, error),
    });
  }

  get isSynced(): boolean {
    return this.#synced.isOn;
  }

  get isServed(): boolean {
    return this.#unserved.size === 0;
  }

  onServed(handler: (isServed: boolean) => void): void {
    this.#servedHandlers.add(handler);
  }

  get(key: ObjectKey): StoredView | undefined {
    return this.#cache.get(key);
  }

  list({ namespace, selector }: CacheSelection = {}): readonly StoredView[] {
    const objects =
      namespace === undefined
        ? Array.from(this.#cache.entries(), ([, object]) => object)
        : this.#cache.indexes.find(byNamespace, namespace);
    if (selector === undefined) return objects;
    return objects.filter((object) => selectorMatches(selector, object.metadata.labels ?? {}));
  }

  byIndex(index: string | Index<StoredObject>, value: string): readonly StoredView[] {
    return this.#cache.indexes.find(typeof index === "string" ? index : index.name, value);
  }

  addIndex(name: string, values: (object: StoredView) => readonly string[]): void {
    this.#cache.indexes.add(name, values, this.#cache.entries());
  }

  appliedBy(key: ObjectKey, manager: string): AppliedFields | undefined {
    return this.#cache.appliedBy(key, manager);
  }

  onEvent(handler: Handler): () => void {
    // Every registration its own, even of one function twice.
    const registered: Handler = (event) => handler(event);
    this.#handlers.add(registered);
    for (const [, object] of this.#cache.entries())
      this.#call(registered, { type: "added", object, initial: true });
    return () => this.#handlers.delete(registered);
  }

  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  /** The watches that fail now. */
  failing(): readonly FailingWatch[] {
    return [...this.#failing]
      .filter(([, { isOpen }]) => !isOpen)
      .map(([namespace, { since, why }]) => ({ name: this.name, namespace, since, why }));
  }

  /** Lists and watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, kind, options, namespaces, clock, random, logger } = this.#options;
    const { namespace: _replaced, isOptional: _known, ...selection } = options;
    const resource = this.#isOnlyMetadata ? client.metadataOf(kind) : client.of(kind);
    await Promise.all(
      namespaces.map((namespace) => {
        const sink = this.#sinkOf(namespace);
        return reflect(
          { resource, selection: { ...selection, namespace }, sink, clock, random, logger },
          signal,
        );
      }),
    );
  }

  /** Shows a write of ours, sent at one of the `moments`, before the watch does. */
  wrote({ key, verb, answer }: ObservedWrite, began: number): void {
    if (verb === "delete" && isStatus(answer)) {
      const uid = answer.details?.uid;
      if (key !== undefined && this.#covers(key.namespace)) this.#cache.buried(key, uid, { began });
      return;
    }
    if (!this.#isObject(answer) || !this.#covers(answer.metadata.namespace)) return;
    const { uid, resourceVersion } = answer.metadata;
    if (isGone(answer)) this.#cache.buried(keyOf(answer), uid, { began });
    else if (!this.#isSelected(answer)) this.#cache.buried(keyOf(answer), uid, { began, resourceVersion });
    // The writer has the same object in hand, and may change it.
    else
      this.#cache.wrote(
        clone(this.#kept(promised<StoredObject>(answer))),
        this.#sourceOf(answer.metadata.namespace),
      );
  }

  #sinkOf(namespace: string | undefined): ReflectorSink {
    const cache = this.#cache;
    const went = (): void => void this.#failing.delete(namespace);
    return {
      mark: () => cache.mark(),
      replaced: (objects, resourceVersion, mark) => {
        went();
        const kept = this.#isOnlyMetadata ? objects.map((object) => this.#kept(object)) : objects;
        cache.replace({ objects: kept, resourceVersion, mark, namespace }, this.#missing.has(namespace));
        this.#has(namespace, true);
      },
      ...(this.#options.options.isOptional === true && {
        unserved: () => {
          went();
          cache.empty(namespace);
          this.#has(namespace, false);
        },
      }),
      upserted: (object) => cache.upsert(this.#kept(object)),
      removed: (object) => cache.remove(object),
      progressed: (resourceVersion) => {
        went();
        cache.progressed(namespace, resourceVersion);
      },
      went,
      opened: () => {
        const failing = this.#failing.get(namespace);
        if (failing !== undefined) this.#failing.set(namespace, { ...failing, isOpen: true });
      },
      failed: (why) => {
        const since = this.#failing.get(namespace)?.since ?? this.#options.clock.monotonic();
        this.#failing.set(namespace, { since, why, isOpen: false });
      },
    };
  }

  /** A namespace has been read, or has nothing to be read. */
  #has(namespace: string | undefined, isServed: boolean): void {
    const before = this.isServed;
    if (isServed) this.#unserved.delete(namespace);
    else this.#unserved.add(namespace);
    this.#missing.delete(namespace);
    if (this.#missing.size === 0) this.#synced.turnOn();
    if (this.isServed !== before) for (const handler of this.#servedHandlers) handler(this.isServed);
  }

  #kept(object: StoredObject): StoredObject {
    return this.#isOnlyMetadata ? promised<StoredObject>(metadataIn(object)) : object;
  }

  /** Other things are answered, too, such as the scale of an object. */
  #isObject(answer: unknown): answer is StoredView {
    if (typeof answer !== "object" || answer === null) return false;
    const { apiVersion, kind, metadata } = promised<Partial<StoredView>>(answer);
    return apiVersion === apiVersionOf(this.kind) && kind === this.kind.kind && (metadata?.uid ?? "") !== "";
  }

  #covers(namespace: string | undefined): boolean {
    const { namespaces } = this.#options;
    return namespaces.includes(undefined) || namespaces.includes(namespace);
  }

  #sourceOf(namespace: string | undefined): string | undefined {
    return this.#options.namespaces.includes(undefined) ? undefined : namespace;
  }

  #emit(event: InformerEvent<StoredObject>): void {
    // One that is added meanwhile has been told by `onEvent` of what the cache shows now.
    for (const handler of Array.from(this.#handlers)) {
      if (this.#handlers.has(handler)) this.#call(handler, event);
    }
  }

  #indexFailed(index: string, object: StoredView, error: unknown): void {
    const key = keyToString(keyOf(object));
    this.#options.logger.error("An index function threw; it does not find this object", {
      index,
      key,
      error,
    });
  }

  /** One handler's fault is no other's. */
  #call(handler: Handler, event: InformerEvent<StoredObject>): void {
    try {
      handler(event);
    } catch (error) {
      this.#options.logger.error("A handler of an informer threw", { event: event.type, error });
    }
  }
}
