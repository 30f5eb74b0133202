import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { VirtualClock } from "@kedge/machinery";
import { afterAll, describe, expect, it, type TestContext } from "vitest";
import { put } from "../testing/bytes.ts";
import { storeCalls } from "../testing/system-calls.ts";
import { openLmdbStore } from "./lmdb-store.ts";

const root = mkdtempSync(join(tmpdir(), "kedge-durability-"));
afterAll(() => rmSync(root, { recursive: true }));
const writer = ["--conditions=kedge-source", fileURLToPath(import.meta.resolve("../testing/writer.ts"))];

describe("a process that is killed while it writes", () => {
  it("loses no write that it has acknowledged, and frees the folder", async () => {
    const folder = join(root, "killed");
    const child = spawn(process.execPath, [...writer, folder, "8"], { stdio: ["ignore", "pipe", "inherit"] });
    const acknowledged = await linesUntilKilled(child, 400, async () => {
      await expect(openLmdbStore({ folder, clock: new VirtualClock() })).rejects.toMatchObject({
        code: "IN_USE",
        message: `${folder}: the store is in use by process ${child.pid}`,
      });
    });
    expect(acknowledged.length).toBeGreaterThan(300);

    const store = await openLmdbStore({ folder, clock: new VirtualClock() });
    for (const line of acknowledged) {
      const [, key = "", revision] = line.split(" ");
      expect((await store.get(key))?.modRevision).toBe(Number(revision));
    }
    const revision = await store.revision();
    expect((await store.range({ prefix: "k" }, { limit: 0 })).count).toBe(revision - 1);
    expect(await put(store, "after", "")).toBe(revision + 1);
    await store.close();
  });
});

describe("a folder whose owner is gone", () => {
  it("can be opened although nobody has asked how the owner ended", async ({ skip }) => {
    if (process.platform !== "linux") skip("needs Linux, where such an owner is left as a zombie");
    const folder = join(root, "zombie");
    // The shell becomes a program that never waits for the writer.
    const script = 'node="$0"; "$node" "$@" & echo $!; exec sleep 60';
    const parent = spawn("sh", ["-c", script, process.execPath, ...writer, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    try {
      expect((await lines.next()).value).toMatch(/^ack/u);
      process.kill(pid, "SIGKILL");
      const open = async (): Promise<void> => {
        await (await openLmdbStore({ folder, clock: new VirtualClock() })).close();
      };
      await expect.poll(open).toBeUndefined();
      expect(process.kill(pid, 0)).toBe(true);
    } finally {
      // Still there, also as a zombie, as long as its parent is.
      process.kill(pid, "SIGKILL");
      parent.kill("SIGKILL");
    }
  });
});

describe("the system calls of a write", () => {
  it("writes it through to the disk, then acknowledges", (context) => {
    const calls = traced(context, "1", "10");
    const first = calls.findIndex((call) => call.startsWith("ack"));
    // Before the first, the database is told which file to read.
    expect(calls.slice(first - 3, first + 19)).toEqual([
      "sync",
      "commit",
      ...Array.from({ length: 10 }, (_, i) => ["ahead", `ack k${i} ${i + 2}`]).flat(),
    ]);
  });

  it("writes once for all that wait", (context) => {
    const calls = traced(context, "50", "500");
    expect(calls.filter((call) => call.startsWith("ack")).length).toBe(500);
    expect(calls.filter((call) => call === "ahead").length).toBeLessThan(50);
  });
});

describe("a process that is killed again and again", () => {
  it("loses nothing, wherever it was: between files, within a write, while it opens the store", async () => {
    const folder = join(root, "again");
    const acknowledged = new Map<string, number>();
    for (const lines of [1, 700, 2300, 40, 1500]) {
      const child = spawn(process.execPath, [...writer, folder, "8"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      for (const line of await linesUntilKilled(child, lines, () => Promise.resolve())) {
        const [, key = "", revision] = line.split(" ");
        acknowledged.set(key, Number(revision));
      }
    }
    const store = await openLmdbStore({ folder, clock: new VirtualClock() });
    expect(await store.revision()).toBeGreaterThanOrEqual(Math.max(...acknowledged.values()));
    for (const [key, revision] of acknowledged)
      expect((await store.get(key))?.modRevision).toBeGreaterThanOrEqual(revision);
    await store.close();
    expect(readdirSync(folder).filter((name) => name.startsWith("ahead"))).toEqual([]);
  });
});

/** Lines of a child that is killed with signal 9 after so many, with those that were under way. */
async function linesUntilKilled(
  child: ChildProcess,
  count: number,
  beforeKill: () => Promise<void>,
): Promise<readonly string[]> {
  if (child.stdout === null) throw new Error("the child has no output");
  const closed = once(child, "close");
  const lines: string[] = [];
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (lines.length !== count) continue;
      await beforeKill();
      child.kill("SIGKILL");
    }
  } finally {
    child.kill("SIGKILL");
  }
  await closed;
  // The last line may have been cut off.
  return lines.filter((line) => /^ack k\d+ \d+$/u.test(line)).slice(0, -1);
}

function traced(context: TestContext, ...args: readonly string[]): readonly string[] {
  if (spawnSync("strace", ["true"]).status !== 0) context.skip("strace is missing, or may not trace here");
  const out = join(root, `trace-${args.join("-")}`);
  const options = ["-f", "-y", "-e", "trace=openat,fdatasync,pwrite64,write", "-o", out];
  const { status, stderr } = spawnSync(
    "strace",
    [...options, process.execPath, ...writer, `${out}.store`, ...args],
    {
      encoding: "utf8",
    },
  );
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return storeCalls(readFileSync(out, "utf8"));
}
