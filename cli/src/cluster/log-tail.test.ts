import { mkdtempSync, rmSync, writeFileSync, appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { logLength, logTail } from "./log-tail.ts";

let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kedge-log-"));
  log = join(folder, "part.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

it("shows lines of the logger as a person would write them, and others as they are", () => {
  const time = "2026-11-16T01:53:12.117Z";
  const lines = [
    JSON.stringify({ level: "info", time, component: "apiserver", msg: "It runs" }),
    JSON.stringify({
      level: "error",
      time,
      error: { type: "StoreError", message: "in use" },
      msg: "It failed",
    }),
    "",
    "Error: nobody caught this",
    "    at start (file:///kedge/cli/src/main.ts:7:1)",
    '{"not": "of the logger"}',
  ];
  writeFileSync(log, `${lines.join("\n")}\n`);
  expect(logTail(log)).toEqual([
    "01:53:12 info It runs",
    "01:53:12 error It failed: in use",
    "Error: nobody caught this",
    '{"not": "of the logger"}',
  ]);
});

it("shows only what was written since, and of that the last eight lines", () => {
  expect(logLength(log)).toBe(0);
  writeFileSync(log, "an earlier start: ü\n");
  const from = logLength(log);
  expect(logTail(log, from)).toEqual([]);
  appendFileSync(log, Array.from({ length: 10 }, (_none, line) => `line ${line}\n`).join(""));
  expect(logTail(log, from)).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map((line) => `line ${line}`));
});
