import type { Clock } from "@kedge/machinery";

/**
 * Etcd's model of storage. One revision counts for the whole store: every transaction that changes something takes the
 * next one, and all its changes carry it. An empty store is at revision 1. Bytes that are handed in or out are shared,
 * never copied: nobody may change them.
 */
export interface Store {
  /** Whether other processes may write to it, too. */
  readonly isShared: boolean;
  /** The newest revision that is durable when this is asked, which is the newest that anyone can see. */
  revision(): Promise<number>;
  /** One key, or undefined when it does not exist at that revision. */
  get(key: string, options?: ReadOptions): Promise<KeyValue | undefined>;
  /** The keys of a span in order. All pages of a list are read at the revision of the first. */
  range(span: Span, options?: RangeOptions): Promise<RangeResult>;
  /**
   * Compares and writes as one step. Resolves when the outcome, also that of a failed comparison, is durable. In which
   * order those happen that are under way at the same time is not told.
   */
  transaction(transaction: Transaction): Promise<TransactionResult>;
  /** What changes in a span, in order, each change once. Begins after the newest revision unless `from` says earlier. */
  watch(span: Span, options?: WatchOptions): Watch;
  /** Forgets what only revisions before this one show. Watchers that have yet to see those end with COMPACTED. */
  compact(revision: number): Promise<void>;
  /** A lease of so many milliseconds. Keys put with it are deleted when it runs out or is revoked. */
  grantLease(ttl: number): Promise<Lease>;
  /** Starts the time of a lease anew. */
  keepLeaseAlive(id: number): Promise<Lease>;
  /** Ends a lease, and deletes its keys in one transaction. */
  revokeLease(id: number): Promise<void>;
  /** A store in memory with the state of a revision, its numbers and its leases. What either writes, the other never sees. */
  fork(options?: ForkOptions): Promise<Store>;
  /** Waits for the writes under way, ends the watches, and lets go of files and timers. */
  close(): Promise<void>;
}

/** A key at one revision. */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision at which the key came to be. */
  readonly createRevision: number;
  /** The revision of this value. */
  readonly modRevision: number;
  /** 1 when created, one more with each change. */
  readonly version: number;
  /** The lease that the key hangs on, 0 for none. */
  readonly lease: number;
}

/** A single prefix ("" is everything), or the keys from `start` up to but without `end`, in the order of their bytes. */
export type Span = { readonly prefix: string } | { readonly start: string; readonly end: string };

/** At which revision to read: the newest unless given. */
export interface ReadOptions {
  readonly revision?: number;
}

/** How much to read. */
export interface RangeOptions extends ReadOptions {
  /** At most so many; 0 counts only. */
  readonly limit?: number;
}

/** What a range found. */
export interface RangeResult {
  /** The revision that this shows. */
  readonly revision: number;
  readonly items: readonly KeyValue[];
  /** How many keys the span holds, whatever the limit. */
  readonly count: number;
  /** Whether the limit cut it short: read on from the last key followed by "\0". */
  readonly more: boolean;
}

/** When all comparisons hold the writes of `success` happen, else the ranges of `failure` are read. */
export interface Transaction {
  readonly compare?: readonly Comparison[];
  /** Each key at most once. */
  readonly success: readonly Write[];
  readonly failure?: readonly Span[];
}

/** Holds when the key was last changed at this revision; 0 when it does not exist. */
export interface Comparison {
  readonly key: string;
  readonly modRevision: number;
}

/** One write of a transaction. To delete what does not exist changes nothing. */
export type Write =
  | { readonly type: "put"; readonly key: string; readonly value: Uint8Array; readonly lease?: number }
  | { readonly type: "delete"; readonly key: string };

/** What became of a transaction, and the revision of the store after it. */
export type TransactionResult =
  | { readonly succeeded: true; readonly revision: number }
  | { readonly succeeded: false; readonly revision: number; readonly ranges: readonly RangeResult[] };

/** Where a watch begins and when it ends. */
export interface WatchOptions {
  /**
   * The first revision to show; one that is yet to come is waited for. The oldest that is kept may be refused: what it
   * replaced is gone.
   */
  readonly from?: number;
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal;
}

/** Batches for one reader. A reader that is slow holds no memory: it falls behind until compaction ends the watch. */
export interface Watch extends AsyncIterableIterator<WatchBatch, undefined> {
  /** Asks for a batch soon, without events if there are none: a bookmark. */
  progress(): void;
  return(): Promise<IteratorReturnResult<undefined>>;
}

/** Events of one or more whole transactions. Every event of the span up to `revision` has been shown. */
export interface WatchBatch {
  readonly revision: number;
  readonly events: readonly StoreEvent[];
}

/** A change of a key, with what was there before. A deleted key shows the revision at which it went. */
export type StoreEvent =
  | { readonly type: "put"; readonly current: KeyValue; readonly previous: KeyValue | undefined }
  | {
      readonly type: "delete";
      readonly key: string;
      readonly modRevision: number;
      readonly previous: KeyValue;
    };

/** Time until keys go, in milliseconds. */
export interface Lease {
  readonly id: number;
  readonly ttl: number;
}

/** Which state to copy (the newest unless given), and the time that its leases run on (the store's own). */
export interface ForkOptions extends ReadOptions {
  readonly clock?: Clock;
}
