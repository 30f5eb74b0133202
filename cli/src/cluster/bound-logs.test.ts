import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { boundLogs } from "./bound-logs.ts";
import { logLength, logTail } from "./log-tail.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kedge-logs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("begins a long log anew under its writer, and keeps the last one", () => {
  const log = join(folder, "server.log");
  const writer = openSync(log, "a");
  for (const round of ["first", "second", "third"]) {
    writeSync(writer, `${round}\n`.repeat(10));
    const from = logLength(log);
    boundLogs(folder, 50);
    writeSync(writer, "after\n");
    expect(readFileSync(log, "utf8")).toBe("after\n");
    // Also for one who knew how long it was.
    expect(logTail(log, from)).toEqual(["after"]);
    expect(readFileSync(`${log}.1`, "utf8")).toContain(round);
  }
  closeSync(writer);
  expect(readdirSync(folder)).toEqual(["server.log", "server.log.1"]);
});

it("leaves short logs and other files alone", () => {
  appendFileSync(join(folder, "node.log"), "short\n");
  appendFileSync(join(folder, "notes"), "x".repeat(100));
  boundLogs(folder, 50);
  expect(readFileSync(join(folder, "node.log"), "utf8")).toBe("short\n");
  expect(readdirSync(folder)).toEqual(["node.log", "notes"]);
});
