import type { Client } from "@kedge/client";
import type { DeepReadonly, Kind, KubeObject, ObjectKey, Scope, Selector } from "@kedge/machinery";

/** What the cache hands out: deeply frozen, shared by all readers. */
export type Cached<T> = DeepReadonly<T>;

/** One change of the cache. Objects are those of the cache itself. */
export type InformerEvent<T> =
  | {
      readonly type: "added";
      readonly object: Cached<T>;
      /** Whether it was there before we began to look. */
      readonly initial: boolean;
    }
  | { readonly type: "updated"; readonly object: Cached<T>; readonly previous: Cached<T> }
  | {
      readonly type: "deleted";
      /** Its last known state. */
      readonly object: Cached<T>;
    };

/** Reads of one kind from memory. Never waits and never copies. */
export interface Reader<T> {
  get(key: ObjectKey): Cached<T> | undefined;
  list(selection?: CacheSelection): readonly Cached<T>[];
  /** The objects that an index has under this value. Throws when the cache does not have the index. */
  byIndex(index: string | Index<T>, value: string): readonly Cached<T>[];
  /** Whether the server knows the kind. Only of one that is `optional()` it may not, and then there are no objects. */
  readonly isServed: boolean;
}

/** What objects of some kind are found by. */
export interface AnyIndex {
  readonly kind: Kind;
  /** Of all indexes of a kind in a process, no other one has it. */
  readonly name: string;
  readonly values: (object: never) => readonly string[];
}

/** What objects of a kind are found by. Made by `defineIndex()`. */
export interface Index<T> extends AnyIndex {
  readonly values: (object: Cached<T>) => readonly string[];
}

/** Which objects of a cache are meant. Absent: all. */
export interface CacheSelection {
  readonly namespace?: string | undefined;
  readonly selector?: Selector | undefined;
}

/**
 * A kind's objects, kept in memory by one list and one watch that heal themselves. Shared by all that ask for the same
 * kind and selection. `get` never shows an older version than it, or a write of ours through the manager's client,
 * has shown before.
 */
export interface Informer<T = KubeObject, S extends Scope = Scope> extends Reader<T> {
  readonly kind: Kind<T, S>;
  /** Names of values that objects are found by. Fill it before the first event, or it is built from what is there. */
  addIndex(name: string, values: (object: Cached<T>) => readonly string[]): void;
  /**
   * Called for every change, in order, after the cache shows it; first with an `added` for each object already there.
   * Must not throw and must not wait. The result ends it.
   */
  onEvent(handler: (event: InformerEvent<T>) => void): () => void;
  /**
   * What a field manager owns of an object by server-side apply, if `Informers.keepFieldsOf` was asked to keep it. The
   * same value for as long as the fields are the same; cached objects have no managedFields.
   */
  appliedBy(key: ObjectKey, manager: string): AppliedFields | undefined;
  /** Called when the server comes to know the kind, or does not know it any more. */
  onServed(handler: (isServed: boolean) => void): void;
  /** Resolves when all that existed at the start is in the cache and was handed out. */
  synced(signal?: AbortSignal): Promise<void>;
  /** Whether `synced` has resolved. */
  readonly isSynced: boolean;
}

/** The fields that a manager has applied. */
export interface AppliedFields {
  /** JSON of `fieldsV1`. */
  readonly fields: string;
}

/** Which objects an informer keeps. */
export interface InformerOptions {
  /** Absent: all namespaces that the manager looks at. */
  readonly namespace?: string;
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  readonly fieldSelector?: string;
  /** The server may not know the kind: then there are no objects, and it is asked for again every few seconds. */
  readonly isOptional?: boolean;
}

/** A watch that fails and is tried again and again. */
export interface FailingWatch {
  /** What it is of, such as `v1/pods`. */
  readonly name: string;
  /** Undefined: all that the informer looks at. */
  readonly namespace: string | undefined;
  /** Of `Clock.monotonic()`: the first failure after the last success. */
  readonly since: number;
  /** The newest failure. */
  readonly why: string;
}

/** All informers of a process. */
export interface Informers {
  /** The informer of a kind; the same one for the same options. Starts by itself once the set has been started. */
  of<T, S extends Scope, Sub extends string>(
    kind: Kind<T, S, Sub>,
    options?: InformerOptions,
  ): Informer<T, S>;
  /** Begins to list and watch, until the signal aborts. Resolves when all have stopped. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when all informers that exist now are synced. */
  synced(signal?: AbortSignal): Promise<void>;
  /** What is not synced yet, such as `v1/pods`: for whoever wonders why nothing happens. */
  unsynced(): readonly string[];
  /** The watches that fail now: what they show is as old as their last success. */
  failing(): readonly FailingWatch[];
  /** Keeps, of the managedFields of what is read from now on, the fields that this manager applied. */
  keepFieldsOf(manager: string): void;
  /** The same client; what is written through it is in these caches before the writer goes on. */
  seeWritesOf(client: Client): Client;
}

/** The index that every informer has: by the uid of the controlling owner. */
export const byController = "controller";
