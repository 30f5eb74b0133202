import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepLogs, logsFolder } from "./test-logs.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kedge-test-logs-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function runWithLogs(startedAt: number): string {
  const logs = logsFolder(root, new VirtualClock({ epoch: startedAt }));
  mkdirSync(logs, { recursive: true });
  writeFileSync(join(logs, "server.log"), "the last words");
  return logs;
}

it("keeps those of a run that failed", async () => {
  const logs = runWithLogs(0);
  expect(await keepLogs(logs, true)).toBe(true);
  expect(existsSync(join(logs, "server.log"))).toBe(true);
});

it("deletes those of a run that passed, and no others", async () => {
  const [failed, passed] = [runWithLogs(0), runWithLogs(1000)];
  expect(await keepLogs(passed, false)).toBe(false);
  expect([existsSync(failed), existsSync(passed)]).toEqual([true, false]);
  await keepLogs(failed, false);
  expect(existsSync(join(root, "test-logs"))).toBe(false);
});

it("has none of a run that started nothing", async () => {
  expect(await keepLogs(logsFolder(root, new VirtualClock()), true)).toBe(false);
});
