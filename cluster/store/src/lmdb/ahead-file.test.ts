import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { seededRandom, VirtualClock } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StoreError } from "../store-error.ts";
import { AheadFile, readAhead } from "./ahead-file.ts";
import { openLmdbStore } from "./lmdb-store.ts";
import type { Operation } from "./operations.ts";

// KEDGE_TEST_SEED makes up other damages.
const random = seededRandom(Number(process.env["KEDGE_TEST_SEED"] ?? 1));
const clock = new VirtualClock();
const root = mkdtempSync(join(tmpdir(), "kedge-ahead-"));
afterAll(() => rmSync(root, { recursive: true }));

describe("a store that was killed and whose files were damaged then", () => {
  const killed = join(root, "killed");
  const keys = 1400;
  let files: readonly string[] = [];

  beforeAll(async () => {
    const program = fileURLToPath(import.meta.resolve("../testing/writer.ts"));
    const args = ["--conditions=kedge-source", program, killed, "4"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(child, "close");
    let lines = 0;
    for await (const _ of createInterface({ input: child.stdout }))
      if (++lines === keys) child.kill("SIGKILL");
    await closed;
    files = readdirSync(killed).filter((name) => name.startsWith("ahead."));
  });

  it("has everything when nothing was damaged", async () => {
    expect(files.length).toBeGreaterThan(0);
    expect(await outcomeOf(copyOf(), "")).toBeGreaterThanOrEqual(keys);
  });

  it("is refused by the name of the file and left alone", async () => {
    for (let round = 0; round < 40; round++) {
      const folder = copyOf();
      const name = files[random.int(files.length)] ?? "";
      const path = join(folder, name);
      const content = readFileSync(path);
      if (content.length === 0) continue;
      const at = random.int(content.length);
      const noise = Buffer.from(Array.from({ length: 1 + random.int(64) }, () => random.int(256)));
      const kind = random.int(4);
      if (kind === 0) content[at] = (content[at] ?? 0) ^ (1 << random.int(8));
      if (kind === 1) noise.copy(content, at);
      if (kind === 2) content.copy(content, at, 0, 200);
      writeFileSync(path, kind === 3 ? Buffer.concat([content, Buffer.alloc(16, 1), noise]) : content);
      if (readFileSync(path).equals(readFileSync(join(killed, name)))) continue;
      const outcome = await outcomeOf(folder, path);
      expect({ round, kind, outcome }).toEqual({ round, kind, outcome: "refused" });
      rmSync(folder, { recursive: true });
    }
  });

  it("is refused when a file is gone", async () => {
    const folder = copyOf();
    const [first = ""] = files;
    rmSync(join(folder, first));
    expect(await outcomeOf(folder, join(folder, first))).toBe("refused");
  });

  it("has all that is before the end when the last file was cut off", async () => {
    const folder = copyOf();
    const last = join(folder, files.at(-1) ?? "");
    truncateSync(last, Math.max(0, readFileSync(last).length - 1));
    expect(await outcomeOf(folder, last)).toBeGreaterThan(keys - 8);
  });

  function copyOf(): string {
    const folder = mkdtempSync(join(root, "copy."));
    cpSync(killed, folder, { recursive: true });
    return folder;
  }
});

describe("files that follow each other", () => {
  it("are refused by the name of one that was cut off before the next was written", async () => {
    const folder = mkdtempSync(join(root, "files."));
    for (const number of [1, 2]) {
      const file = await AheadFile.create(folder, number);
      await file.append([put(`a${number}`)]);
      await file.append([put(`b${number}`)]);
      await file.close();
    }
    await (await AheadFile.create(folder, 3)).close();
    const cut = (number: number): void => {
      const path = join(folder, `ahead.${number}`);
      truncateSync(path, readFileSync(path).length - 1);
    };
    cut(2);
    expect(readAhead(folder, 1).operations).toEqual([put("a1"), put("b1"), put("a2")]);
    cut(1);
    expect(() => readAhead(folder, 1)).toThrow(/ahead\.1 is damaged: the record at byte \d+ is cut off/u);
  });
});

describe("a file beside the database on a disk that is full", () => {
  it("has nothing of a write that failed, and takes the next when there is room", async (context) => {
    const disk = mkdtempSync(join(tmpdir(), "kedge-full-"));
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "kedge-test", disk]).status !== 0) {
      rmdirSync(disk);
      context.skip("this process may not mount");
    }
    try {
      writeFileSync(join(disk, "other"), new Uint8Array(500_000));
      const file = await AheadFile.create(disk, 1);
      await file.append([put("a")]);
      await expect(file.append(Array.from({ length: 10 }, () => put("b")))).rejects.toThrow("ENOSPC");
      expect(readAhead(disk, 1).operations).toEqual([put("a")]);
      rmSync(join(disk, "other"));
      await file.append([put("c")]);
      await file.close();
      expect(readAhead(disk, 1).operations).toEqual([put("a"), put("c")]);
    } finally {
      spawnSync("umount", ["--lazy", disk]);
      rmdirSync(disk);
    }
  });
});

function put(key: string): Operation {
  return { key: [key], value: Buffer.alloc(100_000, "x") };
}

/** How many keys a store has, "refused" when that was said well, else what was wrong. */
async function outcomeOf(folder: string, damaged: string): Promise<number | string> {
  const before = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  try {
    const store = await openLmdbStore({ folder, clock });
    const { count } = await store.range({ prefix: "k" }, { limit: 0 });
    expect(await store.revision()).toBe(count + 1);
    await store.close();
    const again = await openLmdbStore({ folder, clock });
    expect((await again.range({ prefix: "k" }, { limit: 0 })).count).toBe(count);
    await again.close();
    return count;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "DAMAGED") return String(error);
    if (!error.message.startsWith(`${damaged} is damaged: `)) return error.message;
    for (const [name, content] of before)
      if (name !== "lock.mdb" && !readFileSync(join(folder, name)).equals(content))
        return `${name} was changed`;
    return "refused";
  }
}
