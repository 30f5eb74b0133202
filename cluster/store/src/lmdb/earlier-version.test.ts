import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kedge/machinery";
import { open } from "lmdb";
import { expect, it } from "vitest";
import { compactedKey, logKey, type Key } from "./keys.ts";
import { openLmdbStore } from "./lmdb-store.ts";

const first = { modRevision: 2, position: 0 };

it.each([
  [
    "record 0 of revision 2",
    logKey(first),
    Buffer.from(["01", "00".repeat(27), "01", "61", "62"].join(""), "hex"),
  ],
  ["the value of meta compacted", compactedKey, Buffer.alloc(8)],
])("a store of a version without checksums is refused as such: %s", async (what, key, value) => {
  const folder = mkdtempSync(join(tmpdir(), "kedge-earlier-"));
  try {
    const db = open<Buffer, Key>({
      path: folder,
      encoding: "binary",
      noSubdir: false,
      overlappingSync: false,
    });
    await db.put(key, value);
    await db.close();
    await expect(openLmdbStore({ folder, clock: new VirtualClock() })).rejects.toThrow(
      `data.mdb is damaged: ${what} has no checksum, as in stores of the first versions of Kedge`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
