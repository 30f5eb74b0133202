import type { Clock } from "@kedge/machinery";
import type { RootDatabase } from "lmdb";
import type { Commit } from "../mvcc/history.ts";
import type { Journal, JournalRecord } from "../mvcc/journal.ts";
import { compactedKey, lastLeaseKey, leaseKey, logKey, numberValue, type Key } from "./keys.ts";
import { encodeRecord } from "./record.ts";

/** What a journal needs besides its database. */
export interface LmdbJournalOptions {
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
  readonly #clock: Clock;
  #waiting: JournalRecord[] = [];
  readonly #release: () => Promise<void>;
  /** The flush that has not begun, which takes more records. */
  #next: Promise<void> | undefined;
  /** The last flush, begun or not. */
  #last: Promise<void> = Promise.resolve();

  constructor(db: RootDatabase<Buffer, Key>, options: LmdbJournalOptions) {
    this.#db = db;
    this.#clock = options.clock;
    this.#release = options.release;
  }

  append(record: JournalRecord): Promise<void> {
    this.#waiting.push(record);
    if (this.#next === undefined) {
      // A failed flush fails all that follow: they build on what was lost.
      this.#next = this.#clock.track(this.#last.then(() => this.#flush()));
      this.#last = this.#next;
    }
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#release();
  }

  async #flush(): Promise<void> {
    const records = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    await this.#db.transaction(() => {
      for (const record of records) this.#write(record);
    });
  }

  #write(record: JournalRecord): void {
    switch (record.type) {
      case "commit":
        return this.#writeCommit(record.commit);
      case "compact":
        this.#db.putSync(compactedKey, numberValue(record.revision));
        return record.dropped.forEach((commit) => this.#drop(commit));
      case "lease":
        this.#db.putSync(leaseKey(record.lease.id), numberValue(record.lease.ttl));
        this.#db.putSync(lastLeaseKey, numberValue(record.lease.id));
        return;
      case "leaseEnd":
        this.#db.removeSync(leaseKey(record.id));
    }
  }

  #writeCommit({ changes }: Commit): void {
    for (const change of changes) {
      if (change.type === "put") this.#db.putSync(logKey(change.current), encodeRecord(change.current));
      else this.#db.putSync(logKey(change), encodeRecord({ key: change.key, deleted: true }));
    }
  }

  /** After a dropped commit nothing shows what it replaced, nor that it deleted something. */
  #drop({ changes }: Commit): void {
    for (const change of changes) {
      if (change.previous !== undefined) this.#db.removeSync(logKey(change.previous));
      if (change.type === "delete") this.#db.removeSync(logKey(change));
    }
  }
}
