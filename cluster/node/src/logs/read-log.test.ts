import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import { logOptionsOf } from "./log-options.ts";
import { readLog, type LogSource } from "./read-log.ts";

const lines = [
  "2026-01-01T00:00:01.000000001+00:00 stdout F one",
  "2026-01-01T00:00:02.000000000+00:00 stderr F two",
  "2026-01-01T00:00:03.000000000+00:00 stdout P thr",
  "2026-01-01T00:00:03.000000000+00:00 stdout F ee",
  "2026-01-01T00:00:04.000000000+00:00 stdout F ",
  "",
].join("\n");

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-log-"));
  path = join(folder, "0.log");
  await writeFile(path, lines);
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function source(clock: VirtualClock, more: Partial<LogSource> = {}): LogSource {
  return {
    path,
    clock,
    isRunning: () => Promise.resolve(false),
    signal: new AbortController().signal,
    ...more,
  };
}

async function read(query: string): Promise<string> {
  const clock = new VirtualClock();
  const options = logOptionsOf(new URLSearchParams(query), Date.UTC(2026, 0, 1, 0, 0, 5));
  const parts: Buffer[] = [];
  for await (const part of readLog(source(clock), options)) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

it.each([
  ["all", "", "one\ntwo\nthree\n\n"],
  ["the last lines; one that was written in pieces is one", "tailLines=2", "three\n\n"],
  ["no lines", "tailLines=0", ""],
  ["more lines than there are", "tailLines=99", "one\ntwo\nthree\n\n"],
  ["since a time", "sinceTime=2026-01-01T00:00:02Z", "two\nthree\n\n"],
  ["of the last seconds", "sinceSeconds=2", "three\n\n"],
  ["with times", "timestamps=true&tailLines=1", "2026-01-01T00:00:04.000000000Z \n"],
  ["so many bytes", "limitBytes=5", "one\nt"],
  ["one stream", "stream=Stderr", "two\n"],
])("%s: %s", async (_title, query, text) => {
  expect(await read(query)).toBe(text);
});

it.each([
  ["tailLines=-1", "tailLines"],
  ["limitBytes=x", "limitBytes"],
  ["sinceSeconds=1&sinceTime=2026-01-01T00:00:02Z", "at most one"],
  ["stream=x", "stream"],
])("refuses %s", (query, message) => {
  expect(() => logOptionsOf(new URLSearchParams(query), 0)).toThrow(message);
});

it("follows what is written until the container has ended", async () => {
  const clock = new VirtualClock();
  let isRunning = true;
  const seen: string[] = [];
  const options = logOptionsOf(new URLSearchParams("follow=true&tailLines=0"), 0);
  const reading = (async () => {
    const from = source(clock, { isRunning: () => Promise.resolve(isRunning) });
    for await (const part of readLog(from, options)) seen.push(part.toString("utf8"));
  })();
  await clock.advance(500);
  await appendFile(path, "2026-01-01T00:00:05.0+00:00 stdout F more\n2026-01-01T00:00:05.0+00:00 std");
  await clock.advance(500);
  expect(seen).toEqual(["more\n"]);
  isRunning = false;
  await appendFile(path, "out F last\n");
  await clock.runUntil(reading);
  expect(seen).toEqual(["more\n", "last\n"]);
});
