import { statfsSync } from "node:fs";
import { hasCode, type Clock } from "@kedge/machinery";
import type { RootDatabase } from "lmdb";
import type { Journal, JournalRecord } from "../mvcc/journal.ts";
import { StoreError } from "../store-error.ts";
import { AheadFile, removeAhead } from "./ahead-file.ts";
import { aheadGuardKey, aheadKey, type Key } from "./keys.ts";
import { numberAt, operationsOf, sizeOf, type Operation } from "./operations.ts";

/** What a journal needs besides its database. */
export interface LmdbJournalOptions {
  /** Where the database is. */
  readonly folder: string;
  readonly clock: Clock;
  /** What was found in the files beside the database, and the number of the last of them. */
  readonly ahead: { readonly operations: readonly Operation[]; readonly last: number };
  /** Lets go of the database, called when everything is on the disk. */
  readonly release: () => Promise<void>;
}

/** A file with so many bytes or operations is full. More would hold the event loop too long when they are stored. */
const fullFile = { bytes: 1024 * 1024, operations: 1000 };
/** So many bytes may wait for a database that cannot be written; then writes wait for it, and fail with it. */
const mostWaiting = 64 * 1024 * 1024;

/**
 * Group commit: what comes while one flush is under way goes to the disk together in the next. A flush is one write to
 * a file beside the database, which costs a third of a transaction of LMDB's. When the file is full, its content is put
 * into the database meanwhile, and the next file is begun. Compactions go to the database at once, and with them all
 * that was before them.
 */
export class LmdbJournal implements Journal {
  readonly #db: RootDatabase<Buffer, Key>;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #release: () => Promise<void>;
  #waiting: JournalRecord[] = [];
  /** The flush that has not begun, which takes more records. */
  #next: Promise<void> | undefined;
  /** The last flush, begun or not. */
  #last: Promise<void> = Promise.resolve();
  /** Why the last flush failed, until what was lost by it has been taken back. */
  #failure: { readonly error: unknown } | undefined;
  /** The file that is written; none before the first write. */
  #file: AheadFile | undefined;
  #lastFile: number;
  /** What is durable, but not in the database, nor on its way there. */
  #ahead: Operation[];
  /** The size of all that is not in the database. */
  #aheadBytes: number;
  /** The transaction of the database that is under way. Resolves also when it has failed. */
  #storing: Promise<void> = Promise.resolve();

  constructor(db: RootDatabase<Buffer, Key>, options: LmdbJournalOptions) {
    this.#db = db;
    this.#folder = options.folder;
    this.#clock = options.clock;
    this.#release = options.release;
    this.#lastFile = options.ahead.last;
    this.#ahead = [...options.ahead.operations];
    this.#aheadBytes = sizeOf(options.ahead.operations);
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
    await this.#clock.track(this.#storing);
    await this.#file?.close().catch(() => undefined);
    try {
      if (this.#lastFile > 0) await this.#clock.track(this.#store(this.#ahead, 0));
    } catch {
      // It stays in the files, from which the next to open the store reads it.
    }
    await this.#release();
  }

  async #flush(): Promise<void> {
    const records = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    try {
      const operations = records.flatMap(operationsOf);
      this.#assertRoom(operations, records.some(isPut) ? 2 * spaceKept : spaceKept);
      if (records.some(({ type }) => type === "compact")) await this.#throughDatabase(operations);
      else await this.#toFile(operations);
    } catch (cause) {
      const error = failureOf(cause, this.#folder);
      this.#failure = { error };
      throw error;
    }
  }

  async #toFile(operations: readonly Operation[]): Promise<void> {
    const isBehind = this.#aheadBytes > mostWaiting;
    const file = (isBehind ? undefined : this.#file) ?? (await this.#throughDatabase([]));
    await file.append(operations);
    for (const operation of operations) this.#ahead.push(operation);
    this.#aheadBytes += sizeOf(operations);
    if (file.size <= fullFile.bytes && this.#ahead.length <= fullFile.operations) return;
    // What was written is durable, whatever comes of this. The next write tries again.
    await this.#nextFile().catch(() => undefined);
  }

  /** Puts everything into the database, and goes on in a new file. */
  async #throughDatabase(operations: readonly Operation[]): Promise<AheadFile> {
    await this.#storing;
    const file = await this.#begin();
    try {
      await this.#store([...this.#ahead, ...operations], file.number);
    } catch (error) {
      // Which files the database counts is not known: none of them is written any more.
      this.#file = undefined;
      await file.close();
      throw error;
    }
    this.#ahead = [];
    this.#aheadBytes = 0;
    return file;
  }

  /** Goes on in a new file, while what is in the ones before it comes into the database. */
  async #nextFile(): Promise<void> {
    await this.#storing;
    const { number } = await this.#begin();
    const stored = this.#ahead;
    this.#ahead = [];
    this.#storing = this.#storeMeanwhile(stored, number);
  }

  async #storeMeanwhile(operations: Operation[], first: number): Promise<void> {
    try {
      await this.#store(operations, first);
      this.#aheadBytes -= sizeOf(operations);
    } catch {
      this.#ahead = [...operations, ...this.#ahead];
    }
  }

  async #begin(): Promise<AheadFile> {
    const file = await AheadFile.create(this.#folder, this.#lastFile + 1);
    const before = this.#file;
    this.#file = file;
    this.#lastFile = file.number;
    // All of it is on the disk already.
    await before?.close().catch(() => undefined);
    return file;
  }

  /** One transaction of LMDB's, made by its own thread; after it, only the files from `first` on count. */
  async #store(operations: readonly Operation[], first: number): Promise<void> {
    if (roomAt(this.#folder) < spaceKept + sizeOf(operations)) throw noSpace(this.#folder);
    try {
      await this.#db.batch(() => {
        for (const operation of [...operations, ...aheadFrom(first)]) this.#do(operation);
      });
    } catch (error) {
      // It carries another promise that rejects, for which nobody waits: that would end the process.
      if (error instanceof Error && "commitError" in error && error.commitError instanceof Promise)
        error.commitError.catch(() => undefined);
      throw error;
    }
    // The database says from which file on they count: one that cannot be removed now goes with the next.
    await removeAhead(this.#folder, first === 0 ? Infinity : first).catch(() => undefined);
  }

  // The batch has the outcome of all that is in it; nobody waits for the parts.
  #do({ key, value }: Operation): void {
    (value === undefined ? this.#db.remove(key) : this.#db.put(key, value)).catch(() => undefined);
  }

  /**
   * The binding of LMDB damages the memory of the process when it meets the end of the disk: it must not come there,
   * also when all that waits is put into the database. What makes room may use more of the disk than what needs it.
   */
  #assertRoom(operations: readonly Operation[], kept: number): void {
    const bytes = this.#aheadBytes + 2 * sizeOf(operations);
    if (roomAt(this.#folder) < kept + bytes) throw noSpace(this.#folder);
  }
}

/** Says which files count, also to versions that know of none. */
function aheadFrom(first: number): readonly Operation[] {
  const guard = first === 0 ? undefined : Buffer.from("ahead");
  return [numberAt(aheadKey, first), { key: aheadGuardKey, value: guard }];
}

function isPut(record: JournalRecord): boolean {
  return record.type === "commit" && record.commit.changes.some(({ type }) => type === "put");
}

/** A full disk shows as a short write, which LMDB reports as an I/O error: so the disk is asked. It may lack inodes. */
function failureOf(cause: unknown, folder: string): unknown {
  return hasCode(cause, "ENOSPC") || roomAt(folder) <= spaceNeeded ? noSpace(folder, cause) : cause;
}

function noSpace(folder: string, cause?: unknown): StoreError {
  return new StoreError("NO_SPACE", `${folder}: no space left on the device`, { cause });
}

function roomAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** So many bytes of the disk are left free, besides what is written: pages that LMDB copies to change them. */
const spaceKept = 2 * 1024 * 1024;

/** With less than this, in bytes, a failure counts as one of space. */
const spaceNeeded = 8 * 1024 * 1024;
