import { appendFile, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, VirtualClock } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import { removeLog } from "./log-files.ts";
import { logOptionsOf } from "./log-options.ts";
import { readLog } from "./read-log.ts";
import { readTail } from "./read-tail.ts";
import { rotateLogs, rotateOne } from "./rotate-logs.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-rotate-"));
  path = join(folder, "0.log");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const line = (text: string): string => `2026-01-01T00:00:00.0+00:00 stdout F ${text}\n`;
/** A line that is long enough to have the file rotated. Zeros cost no disk. */
const grow = async (): Promise<void> => await truncate(path, 11 << 20);
const reopen = async (): Promise<void> => await writeFile(path, "", { flag: "wx" });
const at = (second: number): number => Date.UTC(2026, 0, 1, 0, 0, second);

async function shown(query: string): Promise<string> {
  const clock = new VirtualClock();
  const source = {
    path,
    clock,
    isRunning: () => Promise.resolve(false),
    signal: new AbortController().signal,
  };
  const parts: Buffer[] = [];
  for await (const part of readLog(source, logOptionsOf(new URLSearchParams(query), 0))) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

it("keeps five files, the newest ones", async () => {
  await writeFile(path, "");
  for (let second = 0; second < 7; second += 1) {
    await grow();
    await rotateOne({ path, reopen }, at(second));
  }
  expect(await readdir(folder)).toEqual([
    "0.log",
    ...[3, 4, 5, 6].map((second) => `0.log.20260101-00000${second}`),
  ]);
});

it("goes on with the others when one cannot be rotated", async () => {
  const clock = new VirtualClock({ epoch: at(0) });
  const deaf = join(folder, "deaf.log");
  for (const file of [deaf, path]) {
    await writeFile(file, "");
    await truncate(file, 11 << 20);
  }
  const stop = new AbortController();
  const logs = [
    { path: deaf, reopen: () => Promise.reject(new Error("it does not listen")) },
    { path, reopen },
  ];
  const rotating = rotateLogs(
    { clock, logger: silentLogger, logs: () => Promise.resolve(logs) },
    stop.signal,
  );
  await clock.advance(10_000);
  stop.abort();
  await rotating;
  expect(await readdir(folder)).toEqual(["0.log", "0.log.20260101-000010", "deaf.log"]);
});

it("leaves a short one alone, and one that is not there", async () => {
  await rotateOne({ path, reopen }, 0);
  await writeFile(path, line("short"));
  await rotateOne({ path, reopen }, 0);
  expect(await readdir(folder)).toEqual(["0.log"]);
});

it("puts it back when its writer does not listen", async () => {
  await writeFile(path, "");
  await grow();
  const deaf = { path, reopen: () => Promise.reject(new Error("ENXIO")) };
  await expect(rotateOne(deaf, 0)).rejects.toThrow("ENXIO");
  expect(await readdir(folder)).toEqual(["0.log"]);
});

it("is read as one, from the oldest file to the newest", async () => {
  await writeFile(`${path}.20260101-000001`, line("one") + line("two"));
  await writeFile(`${path}.20260101-000002`, line("three"));
  await writeFile(path, line("four"));
  expect(await shown("")).toBe("one\ntwo\nthree\nfour\n");
  expect(await shown("tailLines=1")).toBe("four\n");
  expect(await shown("tailLines=3")).toBe("two\nthree\nfour\n");
  expect(await shown("tailLines=9")).toBe("one\ntwo\nthree\nfour\n");
  expect(await readTail(path, 2)).toEqual(["three\n", "four\n"]);
});

it("finds the last lines of a log of many pieces", async () => {
  const lines = Array.from({ length: 5000 }, (_value, number) => String(number));
  await writeFile(path, lines.map(line).join(""));
  expect(await shown("tailLines=4321")).toBe(
    lines
      .slice(-4321)
      .map((text) => `${text}\n`)
      .join(""),
  );
});

it("is followed across a rotation, without a line missing", async () => {
  const clock = new VirtualClock();
  let isRunning = true;
  const seen: string[] = [];
  await writeFile(path, line("one"));
  const source = {
    path,
    clock,
    isRunning: () => Promise.resolve(isRunning),
    signal: new AbortController().signal,
  };
  const reading = (async () => {
    const options = logOptionsOf(new URLSearchParams("follow=true"), 0);
    for await (const part of readLog(source, options)) seen.push(part.toString("utf8"));
  })();
  await clock.advance(500);
  await grow();
  await rotateOne(
    {
      path,
      async reopen() {
        await appendFile(`${path}.20260101-000001`, `\n${line("late")}`);
        await reopen();
      },
    },
    at(1),
  );
  await appendFile(path, line("two"));
  await clock.advance(500);
  await appendFile(path, line("three"));
  isRunning = false;
  await clock.runUntil(reading);
  expect(seen).toEqual(["one\n", "late\n", "two\n", "three\n"]);
});

it("goes as a whole", async () => {
  await writeFile(`${path}.20260101-000001`, "");
  await writeFile(path, "");
  await writeFile(join(folder, "1.log"), "");
  await removeLog(path);
  expect(await readdir(folder)).toEqual(["1.log"]);
});
