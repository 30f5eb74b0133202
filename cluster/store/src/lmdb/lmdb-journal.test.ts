import { cpSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, VirtualClock } from "@kedge/machinery";
import { open } from "lmdb";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { del, put, putOf } from "../testing/bytes.ts";
import type { Store } from "../types.ts";
import type { Key } from "./keys.ts";
import { LmdbJournal } from "./lmdb-journal.ts";
import { openLmdbStore } from "./lmdb-store.ts";
import { decodeRecord } from "./record.ts";

const root = mkdtempSync(join(tmpdir(), "kedge-journal-"));
afterAll(() => rmSync(root, { recursive: true }));
const clock = new VirtualClock();
const large = "x".repeat(600_000);

describe("a write that is on the disk", () => {
  it("is acknowledged although the next file cannot be begun, and what fails leaves nothing", async () => {
    const folder = mkdtempSync(join(root, "store."));
    const store = await openLmdbStore({ folder, clock });
    await put(store, "a", "1");
    // A file of this name cannot be made, as when the process has too many files open.
    mkdirSync(join(folder, "ahead.2"));
    for (const key of ["b", "c", "d"])
      await store.transaction({ success: [putOf(key, large), putOf(`${key}${key}`, "1")] });
    rmdirSync(join(folder, "ahead.2"));
    await put(store, "e", "1");
    expect(await keysAfterReopening(store, folder)).toEqual(["a", "b", "bb", "c", "cc", "d", "dd", "e"]);
  });

  it("is acknowledged although an older file cannot be removed", async () => {
    const folder = mkdtempSync(join(root, "store."));
    const store = await openLmdbStore({ folder, clock });
    await put(store, "a", "1");
    await put(store, "b", "1");
    await store.compact(await store.revision());
    await del(store, "a");
    mkdirSync(join(folder, "ahead.0"));
    await store.compact(await store.revision());
    await put(store, "c", "1");
    rmdirSync(join(folder, "ahead.0"));
    expect(await keysAfterReopening(store, folder)).toEqual(["b", "c"]);
  });
});

describe("a transaction of the database that fails beside writes", () => {
  it("is made with the next, and ends nothing: its other rejection is heard, too", async () => {
    const folder = mkdtempSync(join(root, "store."));
    const db = open<Buffer, Key>({ path: folder, encoding: "binary", noSubdir: false });
    const ahead = { operations: [], last: 0 };
    const journal = new LmdbJournal(db, { folder, clock, ahead, release: () => db.close() });
    const grant = (id: number): Promise<void> => journal.append({ type: "lease", lease: { id, ttl: 1 } });
    await grant(1);
    const unheard = vi.fn<(error: unknown) => void>();
    process.on("unhandledRejection", unheard);
    onTestFinished(() => void process.off("unhandledRejection", unheard));
    const batch = vi.spyOn(db, "batch").mockImplementationOnce(async () => {
      await Promise.resolve();
      throw Object.assign(new Error("Commit failed"), { commitError: Promise.reject(new Error("EIO")) });
    });
    // So many that the file is full, and then once more.
    for (let id = 2; id <= 1200; id++) await grant(id);
    expect(batch.mock.calls.length).toBeGreaterThan(1);
    await journal.close();
    expect(unheard).not.toHaveBeenCalled();
    const again = open<Buffer, Key>({ path: folder, encoding: "binary", noSubdir: false });
    expect([...again.getKeys({ start: ["lease"], end: ["lease", Infinity] })]).toHaveLength(1200);
    await again.close();
  });
});

describe("a store that was killed while files beside its database count", () => {
  it("is refused by versions that do not know the files, until it is closed", async () => {
    const folder = mkdtempSync(join(root, "store."));
    const store = await openLmdbStore({ folder, clock });
    await put(store, "a", "1");
    const killed = join(root, "killed");
    cpSync(folder, killed, { recursive: true });
    await store.close();
    expect(await logOf(folder)).toEqual(["2"]);
    expect(await logOf(killed)).toEqual(["record 0 of revision 0 has a wrong checksum"]);
  });
});

/** What those versions read: every record of the log. */
async function logOf(folder: string): Promise<readonly string[]> {
  const db = open<Buffer, Key>({ path: folder, encoding: "binary", noSubdir: false });
  try {
    return [...db.getRange({ start: ["log"], end: ["log", Infinity] })].map(
      ({ key: [, revision], value }) => {
        try {
          decodeRecord(value, { modRevision: Number(revision), position: 0 });
          return String(revision);
        } catch (error) {
          return messageOf(error);
        }
      },
    );
  } finally {
    await db.close();
  }
}

async function keysAfterReopening(store: Store, folder: string): Promise<readonly string[]> {
  const revision = await store.revision();
  await store.close();
  const opened = await openLmdbStore({ folder, clock });
  expect(await opened.revision()).toBe(revision);
  const { items } = await opened.range({ prefix: "" });
  await opened.close();
  return items.map(({ key }) => key);
}
