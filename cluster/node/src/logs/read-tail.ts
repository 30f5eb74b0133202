import { readFile } from "node:fs/promises";
import { parseLogLine } from "./log-line.ts";

/** The last lines of a container's log, without times; each ends with a newline if it is whole. */
export async function readTail(path: string, lines: number): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text
    .split("\n")
    .slice(-lines - 1)
    .flatMap((line) => {
      const entry = parseLogLine(line);
      return entry === undefined ? [] : [entry.whole ? `${entry.text}\n` : entry.text];
    });
}
