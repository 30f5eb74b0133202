import { statfsSync } from "node:fs";
import type { Clock } from "@kedge/machinery";
import type { RootDatabase } from "lmdb";
import type { Commit } from "../mvcc/history.ts";
import type { Journal, JournalRecord } from "../mvcc/journal.ts";
import { StoreError } from "../store-error.ts";
import { compactedKey, lastLeaseKey, leaseKey, logKey, numberValue, type Key } from "./keys.ts";
import { encodeRecord } from "./record.ts";

/** What a journal needs besides its database. */
export interface LmdbJournalOptions {
  /** Where the database is. */
  readonly folder: string;
  readonly clock: Clock;
  /** Lets go of the database, called when everything is on the disk. */
  readonly release: () => Promise<void>;
}

/**
 * Group commit: what comes while one flush is under way goes to the disk together in the next. The database is opened so
 * that a transaction resolves after its flush.
 */
export class LmdbJournal implements Journal {
  readonly #db: RootDatabase<Buffer, Key>;
  readonly #folder: string;
  readonly #clock: Clock;
  #waiting: JournalRecord[] = [];
  readonly #release: () => Promise<void>;
  /** The flush that has not begun, which takes more records. */
  #next: Promise<void> | undefined;
  /** The last flush, begun or not. */
  #last: Promise<void> = Promise.resolve();
  /** Why the last flush failed, until what was lost by it has been taken back. */
  #failure: { readonly error: unknown } | undefined;

  constructor(db: RootDatabase<Buffer, Key>, options: LmdbJournalOptions) {
    this.#db = db;
    this.#folder = options.folder;
    this.#clock = options.clock;
    this.#release = options.release;
  }

  async append(record: JournalRecord): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#waiting.push(record);
    if (this.#next === undefined) {
      // A failed flush fails the next: it builds on what was lost.
      this.#next = this.#clock.track(this.#last.then(() => this.#flush()));
      this.#last = this.#next;
    }
    await this.#next;
  }

  resume(): void {
    this.#failure = undefined;
    this.#waiting = [];
    this.#next = undefined;
    this.#last = Promise.resolve();
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#release();
  }

  async #flush(): Promise<void> {
    const records = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    try {
      this.#assertRoom(records);
      // One transaction of LMDB's, made by its own thread.
      await this.#db.batch(() => {
        for (const record of records) this.#write(record);
      });
    } catch (cause) {
      const error = failureOf(cause, this.#folder);
      this.#failure = { error };
      throw error;
    }
  }

  /** The binding of LMDB damages the memory of the process when it meets the end of the disk: it must not come there. */
  #assertRoom(records: readonly JournalRecord[]): void {
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    if (roomAt(this.#folder) < spaceKept + bytes) throw noSpace(this.#folder);
  }

  #write(record: JournalRecord): void {
    switch (record.type) {
      case "commit":
        return this.#writeCommit(record.commit);
      case "compact":
        this.#putNumber(compactedKey, record.revision);
        return record.dropped.forEach((commit) => this.#drop(commit));
      case "lease":
        this.#putNumber(leaseKey(record.lease.id), record.lease.ttl);
        this.#putNumber(lastLeaseKey, record.lease.id);
        return;
      case "leaseEnd":
        this.#remove(leaseKey(record.id));
    }
  }

  #writeCommit({ changes }: Commit): void {
    for (const change of changes) {
      if (change.type === "put")
        this.#put(logKey(change.current), encodeRecord(change.current, change.current));
      else this.#put(logKey(change), encodeRecord({ key: change.key, deleted: true }, change));
    }
  }

  /** After a dropped commit nothing shows what it replaced, nor that it deleted something. */
  #drop({ changes }: Commit): void {
    for (const change of changes) {
      if (change.previous !== undefined) this.#remove(logKey(change.previous));
      if (change.type === "delete") this.#remove(logKey(change));
    }
  }

  // The batch has the outcome of all that is in it; nobody waits for the parts.
  #put(key: Key, value: Buffer): void {
    this.#db.put(key, value).catch(() => undefined);
  }

  #putNumber(key: Key, value: number): void {
    this.#put(key, numberValue(key, value));
  }

  #remove(key: Key): void {
    this.#db.remove(key).catch(() => undefined);
  }
}

/** A full disk shows as a short write, which LMDB reports as an I/O error: so the disk is asked. */
function failureOf(cause: unknown, folder: string): unknown {
  if (cause instanceof Error && "commitError" in cause && cause.commitError instanceof Promise)
    cause.commitError.catch(() => undefined);
  return roomAt(folder) > spaceNeeded ? cause : noSpace(folder, cause);
}

function noSpace(folder: string, cause?: unknown): StoreError {
  return new StoreError("NO_SPACE", `${folder}: no space left on the device`, { cause });
}

function roomAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function sizeOf(record: JournalRecord): number {
  if (record.type !== "commit") return 0;
  return record.commit.changes.reduce(
    (sum, change) => sum + (change.type === "put" ? change.current.value.length : 0),
    0,
  );
}

/** So many bytes of the disk are left free, besides what is written: pages that LMDB copies to change them. */
const spaceKept = 2 * 1024 * 1024;

/** With less than this, in bytes, a failure counts as one of space. */
const spaceNeeded = 8 * 1024 * 1024;
