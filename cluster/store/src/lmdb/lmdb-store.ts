import { mkdirSync } from "node:fs";
import type { Clock } from "@kedge/machinery";
import type { RootDatabase } from "lmdb";
import { MvccStore } from "../mvcc/mvcc-store.ts";
import { StoreError } from "../store-error.ts";
import type { Store } from "../types.ts";
import { readAhead, removeAhead } from "./ahead-file.ts";
import { checkFile } from "./check-file.ts";
import { damaged } from "./damaged.ts";
import { aheadKey, compactedKey, lastLeaseKey, type Key } from "./keys.ts";
import { LmdbJournal } from "./lmdb-journal.ts";
import { dataFile, hasDatabase, mark } from "./marker.ts";
import { openDatabase } from "./open-database.ts";
import { assertFree, claim } from "./owner.ts";
import { readNumber, recover } from "./recover.ts";

/** Where a store lives, and the time that its leases run on. */
export interface LmdbOptions {
  /** Created when it is not there. One process at a time. */
  readonly folder: string;
  readonly clock: Clock;
  /** Called from time to time while a large store is read: as long as it is, opening goes on. */
  readonly onProgress?: ((progress: OpenProgress) => void) | undefined;
}

/** How far opening has come. */
export interface OpenProgress {
  /** So many pages of the file have been checked. */
  readonly pages: number;
  /** So many records of the log have been read. */
  readonly records: number;
}

/**
 * Opens a durable store with all that was acknowledged before, at the revision at which it was. What cannot be trusted
 * is refused with `DAMAGED`, and left as it is.
 */
export async function openLmdbStore(options: LmdbOptions): Promise<Store> {
  const { folder, clock, onProgress } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  assertFree(folder);
  let pages = 0;
  if (hasDatabase(folder)) {
    try {
      await checkFile(dataFile(folder), {
        clock,
        onPages: (count) => {
          pages = count;
          onProgress?.({ pages, records: 0 });
        },
      });
    } catch (error) {
      // Somebody may have begun to write to it.
      assertFree(folder);
      throw error;
    }
  }
  return await openChecked(options, pages);
}

async function openChecked({ folder, clock, onProgress }: LmdbOptions, pages: number): Promise<Store> {
  const db = openDatabase(folder);
  const close = async (): Promise<void> => {
    await clock.track(db.close());
  };
  let release = close;
  try {
    // Read first: a store that cannot be read is not written to.
    const newest = newestOf(db);
    const first = readNumber(db, aheadKey) ?? 0;
    const ahead = readAhead(folder, first);
    const recovered = await recover(db, {
      clock,
      ahead: ahead.operations,
      onRecords: (records) => onProgress?.({ pages, records }),
    });
    const free = claim(db, folder);
    release = async () => {
      try {
        await clock.track(free());
      } finally {
        await close();
      }
    };
    if (newestOf(db) !== newest)
      throw new StoreError("IN_USE", `${folder}: another process has written to the store`);
    mark(folder);
    // Files whose content is in the database, left by a process that was killed before it removed them.
    await removeAhead(folder, first === 0 ? Infinity : first);
    const journal = new LmdbJournal(db, { folder, clock, ahead, release });
    return new MvccStore({ clock, journal, recovered });
  } catch (error) {
    await release();
    if (error instanceof StoreError && error.code === "DAMAGED" && !error.message.startsWith(folder))
      throw damaged(dataFile(folder), error.message);
    throw error;
  }
}

/** Differs when something has been written since. */
function newestOf(db: RootDatabase<Buffer, Key>): string {
  const [last] = db.getKeys({ start: ["log", Infinity], reverse: true, limit: 1 });
  const numbers = [compactedKey, lastLeaseKey, aheadKey].map((key) => db.get(key)?.toString("hex"));
  return JSON.stringify([last, numbers]);
}
