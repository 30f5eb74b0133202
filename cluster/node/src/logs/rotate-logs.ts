import { rename, rm, stat } from "node:fs/promises";
import type { Clock, Logger } from "@kedge/machinery";
import { logFiles, rotatedName } from "./log-files.ts";

/** What logs are rotated with. */
export interface RotateLogsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The logs that somebody writes to now. */
  readonly logs: () => Promise<readonly WrittenLog[]>;
}

/** The log of a container that runs. */
export interface WrittenLog {
  readonly path: string;
  /** Makes its writer go on in a new file at this path. */
  reopen(): Promise<void>;
}

/** As with the kubelet: a log is 10 MiB in each of 5 files at most, and is looked at every 10 seconds. */
const mostBytes = 10 << 20;
const mostFiles = 5;
const everyMs = 10_000;

/** Keeps logs from growing for ever, until the signal aborts. */
export async function rotateLogs(options: RotateLogsOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger } = options;
  while (!signal.aborted) {
    await clock.sleep(everyMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    const logs = await options.logs().catch((error: unknown) => {
      logger.warn("Could not look for logs to rotate", { error });
      return [];
    });
    for (const log of logs) {
      // One that cannot be rotated keeps no other from being.
      await clock.track(rotateOne(log, clock.now())).catch((error: unknown) => {
        logger.warn("Could not rotate a log", { path: log.path, error });
      });
    }
  }
}

/** Rotates a log if it is too long. */
export async function rotateOne(log: WrittenLog, now: number): Promise<void> {
  const { path } = log;
  const { size } = (await stat(path).catch(() => undefined)) ?? { size: 0 };
  if (size <= mostBytes) return;
  const aside = rotatedName(path, now);
  await rename(path, aside);
  try {
    await log.reopen();
  } catch (error) {
    // Nobody else writes at the path: what is written on goes where it is looked for.
    await rename(aside, path);
    throw error;
  }
  // The one that is written to is one of them.
  const rotated = (await logFiles(path)).filter((file) => file !== path);
  for (const file of rotated.slice(0, 1 - mostFiles)) await rm(file, { force: true });
}
