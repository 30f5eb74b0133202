import { copyFileSync, readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { logLength } from "./log-tail.ts";

/** A log that is longer is begun anew; what was in it is kept once, in a file of the same name with `.1`. */
const longest = 16 * 1024 * 1024;

/**
 * Keeps logs from taking the disk. Their writers add to the end of files that they keep open, so a file is copied and
 * emptied, not renamed: the few lines that are written in between are lost.
 */
export function boundLogs(folder: string, longestBytes = longest): void {
  for (const name of readdirSync(folder)) {
    const log = join(folder, name);
    if (!name.endsWith(".log") || logLength(log) <= longestBytes) continue;
    copyFileSync(log, `${log}.1`);
    truncateSync(log);
  }
}
