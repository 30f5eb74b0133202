import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, VirtualClock } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLmdbStore } from "../lmdb/lmdb-store.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { del, put, putOf, text } from "../testing/bytes.ts";
import { restoreSnapshot } from "./restore-snapshot.ts";
import { readSnapshot, snapshotOf } from "./snapshot-file.ts";

let root = "";
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "kedge-snapshot-"))));
afterEach(() => rmSync(root, { recursive: true }));
const clock = new VirtualClock();

async function saved(): Promise<string> {
  const store = createMemoryStore({ clock });
  await store.transaction({ success: [putOf("/a", "1"), putOf("/b", "1"), putOf("/ключ", "🗝")] });
  await put(store, "/a", "2");
  await put(store, "/gone", "1");
  await del(store, "/gone");
  const { id } = await store.grantLease(1000);
  await store.transaction({ success: [putOf("/event", "1", id)] });
  for (let i = 0; i < 1200; i++) await put(store, `/many/${i}`, "x".repeat(100));
  const snapshot = snapshotOf(store);
  const first = await snapshot.next();
  // What is written meanwhile is not in it.
  await put(store, "/a", "3");
  await del(store, "/b");
  const file = join(root, "snapshot.db");
  const rest = await Array.fromAsync(snapshot);
  writeFileSync(file, Buffer.concat([first.value ?? new Uint8Array(), ...rest]));
  await store.close();
  return file;
}

it("holds one revision, and becomes a store with the numbers of its keys, whose revisions nobody has seen", async () => {
  const file = await saved();
  const folder = join(root, "store");
  const summary = await restoreSnapshot({ file, folder, clock });
  expect(summary).toMatchObject({ revision: 1206, keys: 1203 });
  const store = await openLmdbStore({ folder, clock });
  expect(text(await store.get("/a"))).toBe("2");
  expect(await store.get("/a")).toMatchObject({ createRevision: 2, modRevision: 3, version: 2 });
  expect(text(await store.get("/b"))).toBe("1");
  expect(text(await store.get("/ключ"))).toBe("🗝");
  expect(await store.get("/gone")).toBeUndefined();
  expect(await store.get("/event")).toBeUndefined();
  expect((await store.range({ prefix: "/many/" })).count).toBe(1200);
  expect(await store.revision()).toBe(1_000_001_206);
  expect(await put(store, "/a", "4")).toBe(1_000_001_207);
  await store.close();
  const again = await openLmdbStore({ folder, clock });
  expect(text(await again.get("/a"))).toBe("4");
  await again.close();
});

it("is not put over a store that is there", async () => {
  const file = await saved();
  const folder = join(root, "store");
  const store = await openLmdbStore({ folder, clock });
  await put(store, "/mine", "1");
  await store.close();
  await expect(restoreSnapshot({ file, folder, clock })).rejects.toMatchObject({ code: "IN_USE" });
  const after = await openLmdbStore({ folder, clock });
  expect(text(await after.get("/mine"))).toBe("1");
  await after.close();
});

it("is refused when a single bit, its end, or more than its end is wrong, and leaves nothing", async () => {
  const file = await saved();
  const whole = readFileSync(file);
  const random = seededRandom(process.env["KEDGE_TEST_SEED"] ?? 1);
  const broken = [
    whole.subarray(0, -1),
    whole.subarray(0, 40),
    Buffer.concat([whole, Buffer.from("x")]),
    Buffer.alloc(0),
  ];
  for (let i = 0; i < 60; i++) {
    const copy = Buffer.from(whole);
    const at = random.int(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.int(8));
    broken.push(copy);
  }
  const bad = join(root, "bad.db");
  for (const bytes of broken) {
    writeFileSync(bad, bytes);
    const folder = join(root, "store");
    await expect(restoreSnapshot({ file: bad, folder, clock })).rejects.toMatchObject({ code: "DAMAGED" });
    expect([existsSync(folder), readdirSync(root).includes("store.restoring")]).toEqual([false, false]);
  }
  expect((await readSnapshot(createReadStream(file))).keys).toBe(1203);
});
