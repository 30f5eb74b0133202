import { createReadStream, existsSync, readdirSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "@kedge/machinery";
import { compactedKey, logKey } from "../lmdb/keys.ts";
import { mark } from "../lmdb/marker.ts";
import { openDatabase } from "../lmdb/open-database.ts";
import { numberAt } from "../lmdb/operations.ts";
import { encodeRecord } from "../lmdb/record.ts";
import { StoreError } from "../store-error.ts";
import type { KeyValue } from "../types.ts";
import { readSnapshot, type SnapshotSummary } from "./snapshot-file.ts";

/** Which snapshot becomes which store. */
export interface RestoreOptions {
  readonly file: string;
  /** Must not be there, or be empty. */
  readonly folder: string;
  readonly clock: Clock;
}

/** So many keys are written in one transaction. */
const atOnce = 500;

/**
 * Revisions go on so far behind those of the snapshot: who has seen what was written after it must not take what comes
 * for that. What etcd's guide recommends.
 */
const revisionsSkipped = 1_000_000_000;

/**
 * Makes a store of a snapshot: of all of it, or not at all. The file is checked as a whole before anything is written,
 * and a store that is there is never touched.
 */
export async function restoreSnapshot({ file, folder, clock }: RestoreOptions): Promise<SnapshotSummary> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new StoreError("IN_USE", `${folder} has a store already: move it away first, nothing was changed`);
  const summary = await clock.track(readSnapshot(createReadStream(file)));
  const unfinished = `${folder}.restoring`;
  // Left by a restore that was killed.
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(unfinished, { mode: 0o700 });
  try {
    await clock.track(write(file, unfinished, summary.revision + revisionsSkipped));
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  return summary;
}

async function write(file: string, folder: string, revision: number): Promise<void> {
  const db = openDatabase(folder);
  try {
    /** Keys of one transaction have one revision: where each is in it does not matter, but that they differ. */
    const positions = new Map<number, number>();
    let waiting: KeyValue[] = [];
    const flush = async (): Promise<void> => {
      const items = waiting;
      waiting = [];
      await db.transaction(() => {
        for (const item of items) {
          const position = positions.get(item.modRevision) ?? 0;
          positions.set(item.modRevision, position + 1);
          const entry = { ...item, position };
          db.putSync(logKey(entry), encodeRecord(entry, entry));
        }
      });
    };
    await readSnapshot(createReadStream(file), async (item) => {
      waiting.push(item);
      if (waiting.length >= atOnce) await flush();
    });
    await flush();
    const { key, value } = numberAt(compactedKey, revision);
    if (value !== undefined) await db.put(key, value);
    await db.flushed;
    mark(folder);
  } finally {
    await db.close();
  }
}
