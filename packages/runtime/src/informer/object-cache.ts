import {
  compareResourceVersions,
  keyOf,
  keyToString,
  type ObjectKey,
  type StoredObject,
} from "@kedge/machinery";
import { Indexes, type IndexFailed } from "./indexes.ts";
import { keepObject, withSameFields, type KeptObject } from "./kept-object.ts";
import type { StoredView } from "./stored-view.ts";
import { Tombstones } from "./tombstones.ts";
import type { AppliedFields, InformerEvent } from "./types.ts";

/** The order of the changes of several caches: who writes notes one number, however many caches there are. */
export class Moments {
  #last = 0;

  /** Of the newest change. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    return ++this.#last;
  }
}

/** What a cache is made with. */
export interface ObjectCacheOptions {
  /** Whose field sets are kept. May grow. */
  readonly managers: ReadonlySet<string>;
  readonly moments: Moments;
  /** Called after the cache has changed. */
  readonly emit: (event: InformerEvent<StoredObject>) => void;
  readonly indexFailed: IndexFailed;
}

/** A list that has been read. */
export interface ListedObjects {
  readonly objects: readonly StoredObject[];
  readonly resourceVersion: string;
  /** The cache's `mark` from before it was asked for. */
  readonly mark: number;
  /** Which part of the cache it speaks of; undefined: all of it. */
  readonly namespace: string | undefined;
}

/**
 * The objects of one kind. It is told what the watch shows and what we wrote ourselves, in whatever order that comes,
 * and never goes back to an older version: whatever is older than what it holds is ignored.
 */
export class ObjectCache {
  readonly indexes: Indexes;
  readonly #managers: ReadonlySet<string>;
  readonly #emit: ObjectCacheOptions["emit"];
  readonly #objects = new Map<string, HeldObject>();
  readonly #moments: Moments;
  readonly #tombstones = new Tombstones();
  /** The latest version that lists and watches have shown, by namespace of the source. */
  readonly #progress = new Map<string | undefined, string>();

  constructor({ managers, moments, emit, indexFailed }: ObjectCacheOptions) {
    this.indexes = new Indexes(indexFailed);
    this.#moments = moments;
    this.#managers = managers;
    this.#emit = emit;
  }

  get(key: ObjectKey): StoredView | undefined {
    return this.#objects.get(keyToString(key))?.object;
  }

  *entries(): Iterable<readonly [string, StoredView]> {
    for (const [key, { object }] of this.#objects) yield [key, object];
  }

  appliedBy(key: ObjectKey, manager: string): AppliedFields | undefined {
    return this.#objects.get(keyToString(key))?.applied.get(manager);
  }

  /** A moment in the order of our own deletions. */
  mark(): number {
    return this.#tombstones.mark();
  }

  /** The watch of a namespace (or of all) has shown everything up to this version. */
  progressed(namespace: string | undefined, resourceVersion: string): void {
    this.#progress.set(namespace, resourceVersion);
  }

  /** The watch says that an object is there. */
  upsert(object: StoredObject, initial = false): void {
    if (this.#tombstones.covers(object.metadata)) return;
    const held = this.#objects.get(keyOfObject(object));
    if (held !== undefined && !isNewer(object, held.object)) return;
    this.#put(object, initial);
  }

  /** The watch says that an object is gone, or none of ours any more. */
  remove(object: StoredObject): void {
    this.#tombstones.confirm(object.metadata);
    const key = keyOfObject(object);
    const held = this.#objects.get(key)?.object;
    if (held === undefined || held.metadata.uid !== object.metadata.uid) return;
    if (compareResourceVersions(object.metadata.resourceVersion, held.metadata.resourceVersion) === -1)
      return;
    this.#drop(key);
  }

  /** Takes over a list: what it lacks is gone, unless we wrote it after the list was made. */
  replace(list: ListedObjects, initial: boolean): void {
    const before = this.#progress.get(list.namespace);
    // Versions do not go back, unless the server's storage was set back to an older state: then only the list counts.
    const isRewound = before !== undefined && compareResourceVersions(list.resourceVersion, before) === -1;
    this.#tombstones.listed(list.namespace, isRewound ? Infinity : list.mark);
    this.#dropAbsent(list, isRewound);
    for (const object of list.objects) {
      if (isRewound) this.#put(object, initial);
      else this.upsert(object, initial);
    }
    this.progressed(list.namespace, list.resourceVersion);
  }

  /** We have written an object, and this is what the server made of it. */
  wrote(object: StoredObject, namespace: string | undefined): void {
    const held = this.#objects.get(keyOfObject(object));
    if (held !== undefined) {
      if (isNewer(object, held.object)) this.#put(object, false);
      return;
    }
    const seen = this.#progress.get(namespace);
    const { resourceVersion } = object.metadata;
    // The watch has been past this version and left nothing: what was written is gone again.
    if (seen !== undefined && compareResourceVersions(resourceVersion, seen) !== 1) return;
    if (!this.#tombstones.covers(object.metadata)) this.#put(object, false);
  }

  /** By a write of ours the object is gone, or (with a version) none of ours any more. */
  buried(key: ObjectKey, uid: string | undefined, { began, resourceVersion }: Burial): void {
    const text = keyToString(key);
    const held = this.#objects.get(text);
    const heldUid = held?.object.metadata.uid;
    const dead = uid ?? heldUid;
    if (dead === undefined) return;
    if (held !== undefined && heldUid === dead && resourceVersion !== undefined) {
      // Somebody else may have changed it again since.
      if (compareResourceVersions(held.object.metadata.resourceVersion, resourceVersion) === 1) return;
    }
    this.#tombstones.add(dead, key.namespace, resourceVersion);
    if (held === undefined || heldUid === undefined) return;
    // One of the same name that we knew before we wrote must have gone before the one that we wrote came.
    const isPredecessor = heldUid !== dead && held.change <= began;
    if (isPredecessor) this.#tombstones.add(heldUid, key.namespace, undefined);
    if (heldUid === dead || isPredecessor) this.#drop(text);
  }

  /** Drops all objects of a namespace, or (undefined) all there are; versions may begin anew after it. */
  empty(namespace: string | undefined): void {
    for (const [key, { object }] of this.#objects) {
      if (namespace === undefined || object.metadata.namespace === namespace) this.#drop(key);
    }
    this.#progress.delete(namespace);
  }

  #dropAbsent(list: ListedObjects, isRewound: boolean): void {
    const listed = new Set(list.objects.map((object) => keyOfObject(object)));
    for (const [key, { object }] of this.#objects) {
      if (listed.has(key)) continue;
      if (list.namespace !== undefined && object.metadata.namespace !== list.namespace) continue;
      const { resourceVersion } = object.metadata;
      const isYounger = compareResourceVersions(resourceVersion, list.resourceVersion) === 1;
      if (isRewound || !isYounger) this.#drop(key);
    }
  }

  #put(taken: StoredObject, initial: boolean): void {
    const key = keyOfObject(taken);
    const held = this.#objects.get(key);
    if (held !== undefined && held.object.metadata.uid !== taken.metadata.uid) this.#drop(key);
    const previous = this.#objects.get(key);
    const kept = keepObject(taken, this.#managers);
    const merged = previous === undefined ? kept : withSameFields(kept, previous);
    this.#objects.set(key, { ...merged, change: this.#moments.next() });
    this.indexes.update(key, previous?.object, kept.object);
    if (previous === undefined) this.#emit({ type: "added", object: kept.object, initial });
    else this.#emit({ type: "updated", object: kept.object, previous: previous.object });
  }

  #drop(key: string): void {
    const held = this.#objects.get(key);
    if (held === undefined) return;
    this.#objects.delete(key);
    this.indexes.update(key, held.object, undefined);
    this.#emit({ type: "deleted", object: held.object });
  }
}

interface HeldObject extends KeptObject {
  /** The moment at which it came. */
  readonly change: number;
}

interface Burial {
  /** The moment at which the write was sent. */
  readonly began: number;
  readonly resourceVersion?: string | undefined;
}

function keyOfObject(object: StoredObject): string {
  return keyToString(keyOf(object));
}

/** Versions that cannot be compared are taken in the order in which they come. */
function isNewer(object: StoredObject, held: StoredView): boolean {
  const order = compareResourceVersions(object.metadata.resourceVersion, held.metadata.resourceVersion);
  if (order === undefined) return object.metadata.resourceVersion !== held.metadata.resourceVersion;
  return order === 1;
}
