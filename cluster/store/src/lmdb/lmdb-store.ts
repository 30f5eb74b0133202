import { mkdirSync } from "node:fs";
import type { Clock } from "@kedge/machinery";
import { open } from "lmdb";
import { MvccStore } from "../mvcc/mvcc-store.ts";
import type { Store } from "../types.ts";
import type { Key } from "./keys.ts";
import { LmdbJournal } from "./lmdb-journal.ts";
import { claim } from "./owner.ts";
import { recover } from "./recover.ts";

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
  /** So many records of the log have been read. */
  readonly records: number;
}

/** Opens a durable store with all that was acknowledged before, at the revision at which it was. */
export async function openLmdbStore({ folder, clock, onProgress }: LmdbOptions): Promise<Store> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const db = open<Buffer, Key>({
    path: folder,
    encoding: "binary",
    // The folder is a folder, whatever its name looks like.
    noSubdir: false,
    // Commit and flush are one step: nothing becomes current that is not on the disk.
    overlappingSync: false,
    // The journal has its own batches. This would make one around each, whose failure nobody hears.
    eventTurnBatching: false,
  });
  const close = async (): Promise<void> => {
    await clock.track(db.close());
  };
  let release = close;
  try {
    const free = claim(db, folder);
    release = async () => {
      try {
        await clock.track(free());
      } finally {
        await close();
      }
    };
    const recovered = await recover(db, { clock, onRecords: (records) => onProgress?.({ records }) });
    return new MvccStore({ clock, journal: new LmdbJournal(db, { folder, clock, release }), recovered });
  } catch (error) {
    await release();
    throw error;
  }
}
