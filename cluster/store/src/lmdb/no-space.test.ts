import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { StoreError } from "../store-error.ts";
import type { Store } from "../types.ts";
import { openLmdbStore } from "./lmdb-store.ts";

const clock = new VirtualClock();

describe("a store whose disk is full", () => {
  it("is read, refuses writes, takes them again when there is room, and has lost nothing", async (context) => {
    const disk = mkdtempSync(join(tmpdir(), "kedge-full-"));
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=12m", "kedge-test", disk]).status !== 0) {
      rmdirSync(disk);
      context.skip("this process may not mount");
    }
    const folder = join(disk, "store");
    try {
      writeFileSync(join(disk, "other"), new Uint8Array(3 * 1024 * 1024));
      const store = await openLmdbStore({ folder, clock });
      const watch = store.watch({ prefix: "" });
      const written = await writeUntilFull(store);
      expect(written).toBeGreaterThan(0);
      // LMDB never met the end of the disk, which its binding does not survive.
      const { bavail, bsize } = statfsSync(disk);
      expect(bavail * bsize).toBeGreaterThan(1024 * 1024);
      for (let again = 0; again < 3; again++)
        await expect(write(store, "more")).rejects.toMatchObject({
          code: "NO_SPACE",
          message: `${folder}: no space left on the device`,
        });
      expect((await store.range({ prefix: "k" }, { limit: 0 })).count).toBe(written);
      expect((await watch.next()).value?.revision).toBe(written + 1);
      // What makes room is not refused.
      await store.transaction({ success: [{ type: "delete", key: "k0" }] });
      expect((await watch.next()).value?.events).toMatchObject([{ type: "delete", key: "k0" }]);
      await store.compact(await store.revision());

      rmSync(join(disk, "other"));
      await write(store, "after");
      expect((await watch.next()).value?.events).toMatchObject([{ current: { key: "after" } }]);
      await store.close();

      const opened = await openLmdbStore({ folder, clock });
      expect(await opened.revision()).toBe(written + 3);
      expect((await opened.range({ prefix: "" }, { limit: 0 })).count).toBe(written);
      await opened.close();
    } finally {
      // Also when a store is still open because the test has failed.
      spawnSync("umount", ["--lazy", disk]);
      rmdirSync(disk);
    }
  });

  it("refuses writes also when it has room, but for no more files", async (context) => {
    const disk = mkdtempSync(join(tmpdir(), "kedge-full-"));
    const options = "size=20m,nr_inodes=50";
    if (spawnSync("mount", ["-t", "tmpfs", "-o", options, "kedge-test", disk]).status !== 0) {
      rmdirSync(disk);
      context.skip("this process may not mount");
    }
    try {
      const store = await openLmdbStore({ folder: join(disk, "store"), clock });
      const others = Array.from({ length: 50 }, (_, i) => join(disk, String(i)));
      expect(() => others.forEach((path) => writeFileSync(path, ""))).toThrow("ENOSPC");
      await expect(write(store, "a")).rejects.toMatchObject({ code: "NO_SPACE" });
      for (const path of others) rmSync(path, { force: true });
      await write(store, "a");
      await store.close();
    } finally {
      spawnSync("umount", ["--lazy", disk]);
      rmdirSync(disk);
    }
  });
});

async function writeUntilFull(store: Store): Promise<number> {
  for (let written = 0; ; written++) {
    try {
      await write(store, `k${written}`);
    } catch (error) {
      if (error instanceof StoreError && error.code === "NO_SPACE") return written;
      throw error;
    }
  }
}

async function write(store: Store, key: string): Promise<void> {
  await store.transaction({ success: [{ type: "put", key, value: new Uint8Array(200_000) }] });
}
