import { existsSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "@kedge/machinery";

/** Where the processes that tests start leave their logs: a folder for each run, which need not be there. */
export function logsFolder(root: string, clock: Clock): string {
  const time = new Date(clock.now()).toISOString().replaceAll(":", "-");
  return join(root, "test-logs", time);
}

/** Keeps the logs of a run that failed, if there are any, and says so; deletes those of one that passed. */
export async function keepLogs(logs: string, failed: boolean): Promise<boolean> {
  if (failed) return existsSync(logs);
  await rm(logs, { recursive: true, force: true });
  // Where an earlier run has left some, they stay.
  await rmdir(dirname(logs)).catch(() => undefined);
  return false;
}
