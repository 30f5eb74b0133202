import type { Clock } from "@kedge/machinery";
import { StoreError } from "../store-error.ts";
import type {
  ForkOptions,
  KeyValue,
  Lease,
  RangeOptions,
  RangeResult,
  ReadOptions,
  Span,
  Store,
  Transaction,
  TransactionResult,
  Watch,
  WatchOptions,
  Write,
} from "../types.ts";
import { changesOf } from "./changes.ts";
import { History, type Commit } from "./history.ts";
import { nothingRecovered, type Journal, type JournalRecord, type Recovered } from "./journal.ts";
import { Leases } from "./leases.ts";
import { readRange } from "./range.ts";
import { find, valuesFrom } from "./sorted-map.ts";
import { SpanWatch } from "./span-watch.ts";
import { checkTransaction } from "./transaction-check.ts";

/** What a store is made of. */
export interface MvccOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly recovered?: Recovered;
}

/** So many commits are dropped from the journal at a time: more would hold up what else wants to be written. */
const dropAtOnce = 500;
/** A lease that could not be ended is tried again after so many milliseconds. */
const revokeAgain = 10_000;

/** The store itself, in memory; what makes it durable is its journal. */
export class MvccStore implements Store {
  readonly isShared = false;
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #history: History;
  readonly #leases: Leases;
  readonly #watches = new Set<SpanWatch>();
  #lastLease: number;
  #lastWrite: Promise<void> = Promise.resolve();
  /** How often writes were taken back: a failure of what came before the last time has been dealt with. */
  #failures = 0;
  /** Forgotten commits that the journal still holds. */
  readonly #dropped: Commit[] = [];
  #dropping: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor({ clock, journal, recovered = nothingRecovered() }: MvccOptions) {
    this.#clock = clock;
    this.#journal = journal;
    this.#history = recovered.history;
    this.#lastLease = recovered.lastLease;
    this.#leases = new Leases(clock, (id) => this.#expire(id));
    for (const { id, ttl, remaining } of recovered.leases) this.#leases.add({ id, ttl }, remaining);
    for (const entry of recovered.leased)
      this.#leases.follow([{ type: "put", current: entry, previous: undefined }]);
  }

  async revision(): Promise<number> {
    this.#assertOpen();
    return this.#history.durable;
  }

  async get(key: string, { revision }: ReadOptions = {}): Promise<KeyValue | undefined> {
    this.#assertOpen();
    return find(this.#history.snapshot(revision).state, key);
  }

  async range(span: Span, { revision, limit = Infinity }: RangeOptions = {}): Promise<RangeResult> {
    this.#assertOpen();
    if (!(limit >= 0)) throw new StoreError("INVALID", `limit: ${limit}: must be greater than or equal to 0`);
    const snapshot = this.#history.snapshot(revision);
    return readRange(snapshot.state, span, { revision: snapshot.revision, limit });
  }

  async transaction(transaction: Transaction): Promise<TransactionResult> {
    this.#assertOpen();
    checkTransaction(transaction, (id) => this.#leases.get(id));
    const { compare = [], success, failure = [] } = transaction;
    const { revision, state } = this.#history.head;
    if (compare.every(({ key, modRevision }) => (find(state, key)?.modRevision ?? 0) === modRevision)) {
      return { succeeded: true, revision: await this.#write(success) };
    }
    const ranges = failure.map((span) => readRange(state, span, { revision }));
    // The answer tells of writes that may still be on their way to the disk.
    await this.#lastWrite;
    return { succeeded: false, revision, ranges };
  }

  watch(span: Span, { from, signal }: WatchOptions = {}): Watch {
    this.#assertOpen();
    const stop = (): void => watch.end();
    const watch = new SpanWatch(this.#history, span, from ?? this.#history.durable + 1, (ended) => {
      this.#watches.delete(ended);
      signal?.removeEventListener("abort", stop);
    });
    if (signal?.aborted === true) stop();
    if (watch.isEnded) return watch;
    this.#watches.add(watch);
    signal?.addEventListener("abort", stop, { once: true });
    return watch;
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    this.#history.check(revision);
    for (const watch of this.#watches) watch.beforeCompaction(revision);
    for (const commit of this.#history.compact(revision)) this.#dropped.push(commit);
    this.#dropping = this.#dropping.catch(() => undefined).then(() => this.#drop());
    await this.#dropping;
  }

  /** A large compaction is many small ones to the journal. What it does not get to is dropped with the next. */
  async #drop(): Promise<void> {
    for (;;) {
      const dropped = this.#dropped.slice(0, dropAtOnce);
      const last = dropped.at(-1);
      if (last === undefined || this.#closing !== undefined) return;
      await this.#append({ type: "compact", revision: last.revision + 1, dropped });
      this.#dropped.splice(0, dropped.length);
    }
  }

  async grantLease(ttl: number): Promise<Lease> {
    this.#assertOpen();
    if (!(ttl > 0)) throw new StoreError("INVALID", `ttl: ${ttl}: must be greater than 0 milliseconds`);
    const lease = { id: ++this.#lastLease, ttl };
    await this.#append({ type: "lease", lease });
    this.#leases.add(lease);
    return lease;
  }

  async keepLeaseAlive(id: number): Promise<Lease> {
    this.#assertOpen();
    return this.#leases.keepAlive(id);
  }

  async revokeLease(id: number): Promise<void> {
    this.#assertOpen();
    const { lease, keys } = this.#leases.remove(id);
    const deleted = this.#write(keys.map((key) => ({ type: "delete", key })));
    try {
      await Promise.all([deleted, this.#append({ type: "leaseEnd", id })]);
    } catch (error) {
      this.#leases.add(lease, revokeAgain);
      for (const key of keys) {
        const entry = find(this.#history.head.state, key);
        if (entry?.lease === id) this.#leases.follow([{ type: "put", current: entry, previous: undefined }]);
      }
      throw error;
    }
  }

  async fork({ revision, clock = this.#clock }: ForkOptions = {}): Promise<Store> {
    this.#assertOpen();
    const history = new History(this.#history.snapshot(revision));
    const leased = valuesFrom(history.head.state, "").filter(({ lease }) => lease !== 0);
    const recovered = { history, leases: this.#leases.remaining(), leased, lastLease: this.#lastLease };
    return new MvccStore({ clock, journal: noJournal, recovered });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Whoever wrote last has been told if it failed.
    await this.#lastWrite.catch(() => undefined);
    this.#leases.stop();
    for (const watch of this.#watches) watch.end(new StoreError("CLOSED", "the store has been closed"));
    await this.#journal.close();
  }

  /** Resolves with the revision at which the writes hold. */
  async #write(writes: readonly Write[]): Promise<number> {
    const { revision, state } = this.#history.head;
    const changes = changesOf(state, revision + 1, writes);
    if (changes.length === 0) {
      await this.#lastWrite;
      return revision;
    }
    const commit = this.#history.append(changes);
    this.#leases.follow(changes);
    await this.#append({ type: "commit", commit });
    return commit.revision;
  }

  /** Resolves when a record is durable, after what it changed can be seen. */
  #append(record: JournalRecord): Promise<void> {
    const { revision } = this.#history.head;
    const failures = this.#failures;
    this.#lastWrite = this.#journal.append(record).then(
      () => this.#publish(revision),
      (error: unknown) => this.#fail(error, failures),
    );
    return this.#lastWrite;
  }

  #publish(revision: number): void {
    this.#history.publish(revision);
    for (const watch of this.#watches) watch.wake();
  }

  /** What is not durable is as if it had never been written: nobody has seen it, and the next write may do better. */
  #fail(cause: unknown, failuresBefore: number): never {
    if (failuresBefore === this.#failures) {
      this.#failures++;
      for (const { changes } of this.#history.rollBack()) this.#leases.undo(changes);
      this.#lastWrite = Promise.resolve();
      this.#journal.resume();
    }
    if (cause instanceof StoreError) throw cause;
    throw new StoreError("FAILED", "the store could not make a write durable", { cause });
  }

  #expire(id: number): void {
    // It stays, and is tried again.
    this.revokeLease(id).catch(() => undefined);
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError("CLOSED", "the store has been closed");
  }
}

/** Memory has nothing to wait for. */
export const noJournal: Journal = {
  append: () => Promise.resolve(),
  resume: () => undefined,
  close: () => Promise.resolve(),
};
