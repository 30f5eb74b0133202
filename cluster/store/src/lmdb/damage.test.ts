import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, VirtualClock, type Random } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StoreError } from "../store-error.ts";
import { del, put, putOf } from "../testing/bytes.ts";
import type { Store } from "../types.ts";
import { openLmdbStore } from "./lmdb-store.ts";

// KEDGE_TEST_SEED makes up other damages.
const seed = Number(process.env["KEDGE_TEST_SEED"] ?? 1);
const rounds = 150;
const clock = new VirtualClock();
const root = mkdtempSync(join(tmpdir(), "kedge-damage-"));
const whole = join(root, "whole");
let expected: unknown;
afterAll(() => rmSync(root, { recursive: true }));

beforeAll(async () => {
  const store = await openLmdbStore({ folder: whole, clock });
  const { id } = await store.grantLease(1_000_000);
  for (let i = 0; i < 300; i++)
    await put(store, `/registry/a/${i % 90}`, "x".repeat(i % 9 === 0 ? 9000 : i * 3));
  await store.transaction({ success: [putOf("leased", "1", id), putOf("/registry/b", "y".repeat(100_000))] });
  await store.compact(200);
  for (let i = 0; i < 40; i++) await del(store, `/registry/a/${i}`);
  expected = await everything(store);
  await store.close();
});

describe("a store whose files were damaged", () => {
  it("is refused by name and left alone, or has everything", async () => {
    const random = seededRandom(seed);
    const outcomes = { refused: 0, opened: 0 };
    for (let round = 0; round < rounds; round++) {
      const folder = join(root, `round-${round}`);
      cpSync(whole, folder, { recursive: true });
      const how = damage(folder, random);
      const outcome = await outcomeOf(folder);
      outcomes[outcome === "opened" ? "opened" : "refused"]++;
      expect({ how, outcome }).toEqual({ how, outcome: outcome === "opened" ? "opened" : "refused" });
      rmSync(folder, { recursive: true });
    }
    expect(outcomes.refused).toBeGreaterThan(rounds / 5);
    expect(outcomes.opened).toBeGreaterThan(0);
  });

  it.each([
    ["missing", (data: string) => rmSync(data)],
    ["empty", (data: string) => truncateSync(data, 0)],
    ["cut off", (data: string) => truncateSync(data, 100_000)],
    ["cut off", (data: string) => truncateSync(data, 100)],
  ])("says which file is %s, and the way out", async (what, change) => {
    const folder = mkdtempSync(join(root, "named."));
    cpSync(whole, folder, { recursive: true });
    const data = join(folder, "data.mdb");
    change(data);
    await expect(openLmdbStore({ folder, clock })).rejects.toThrow(
      new RegExp(`^${data} is damaged: .*${what}.*Nothing was changed\\. Put back a copy of the folder`, "u"),
    );
    expect(existsSync(data)).toBe(what !== "missing");
  });
});

/** "opened" when everything is there and stays there, "refused" when that was said well, else what was wrong. */
async function outcomeOf(folder: string): Promise<string> {
  const data = join(folder, "data.mdb");
  const before = existsSync(data) ? readFileSync(data) : undefined;
  try {
    for (let time = 0; time < 2; time++) {
      const store = await openLmdbStore({ folder, clock });
      try {
        expect(await everything(store)).toEqual(expected);
        // What was thought free is written to now.
        await Promise.all(Array.from({ length: 20 }, (_, i) => put(store, "new", "z".repeat(i * 1000))));
        await del(store, "new");
        await store.compact(await store.revision());
      } finally {
        await store.close();
      }
    }
    return "opened";
  } catch (error) {
    if (!(error instanceof StoreError) || !["DAMAGED", "FAILED"].includes(error.code)) return String(error);
    if (!error.message.startsWith(data)) return `it does not name the file: ${error.message}`;
    const after = existsSync(data) ? readFileSync(data) : undefined;
    return (before?.equals(after ?? new Uint8Array()) ?? after === undefined)
      ? "refused"
      : "the file was changed";
  }
}

async function everything(store: Store): Promise<unknown> {
  const { items } = await store.range({ prefix: "" });
  return items
    .filter(({ key }) => key !== "new")
    .map(({ key, value, ...numbers }) => ({ key, ...numbers, value: Buffer.from(value).toString("base64") }));
}

const pageSize = 4096;

/** Damages a folder in one of many ways, and says how. */
function damage(folder: string, random: Random): string {
  const file = join(folder, random.int(10) === 0 ? pick(random, readdirSync(folder).toSorted()) : "data.mdb");
  const content = readFileSync(file);
  const pages = Math.max(1, Math.floor(content.length / pageSize));
  const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random.int(256)));
  const at = (): number => random.int(Math.max(1, content.length));
  const kind = pick(random, [
    "bits",
    "bytes",
    "headers",
    "page",
    "zeros",
    "copy",
    "pages",
    "cut",
    "longer",
    "gone",
  ]);
  switch (kind) {
    case "bits":
      for (let i = random.int(8); i >= 0; i--) {
        const place = at();
        content[place] = (content[place] ?? 0) ^ (1 << random.int(8));
      }
      break;
    case "bytes":
      noise(1 + random.int(64)).copy(content, at());
      break;
    case "headers":
      noise(1 + random.int(4)).copy(content, random.int(2) * pageSize + random.int(168));
      break;
    case "page":
      noise(pageSize).copy(content, random.int(pages) * pageSize);
      break;
    case "zeros": {
      const page = random.int(pages);
      content.subarray(page * pageSize, (page + 1) * pageSize).fill(0);
      break;
    }
    case "copy": {
      const from = random.int(pages) * pageSize;
      content.copy(content, random.int(pages) * pageSize, from, from + pageSize);
      break;
    }
    case "pages":
      for (let i = 0; i < 20; i++)
        noise(64).copy(content, random.int(pages) * pageSize + random.int(pageSize - 64));
      break;
    case "cut":
      truncateSync(file, at());
      return `${file}: ${kind}`;
    case "longer":
      writeFileSync(file, Buffer.concat([content, noise(1 + random.int(10_000))]));
      return `${file}: ${kind}`;
    case "gone":
      rmSync(file);
      return `${file}: ${kind}`;
  }
  writeFileSync(file, content);
  return `${file}: ${kind}`;
}

function pick<T extends string>(random: Random, from: readonly T[]): T {
  const found = from[random.int(from.length)];
  if (found === undefined) throw new Error("there is nothing to pick from");
  return found;
}
