import { open } from "node:fs/promises";
import { logFiles } from "./log-files.ts";
import { parseLogLine } from "./log-line.ts";

/** More than this is not looked at. */
const longest = 256 << 10;

/** The last lines of a container's log, without times; each ends with a newline if it is whole. */
export async function readTail(path: string, lines: number): Promise<readonly string[]> {
  let text = "";
  // The newest may have just been begun.
  for (const file of (await logFiles(path)).toReversed()) {
    text = `${await endOf(file)}${text}`;
    if (text.split("\n").length > lines) break;
  }
  return text
    .split("\n")
    .slice(-lines - 1)
    .flatMap((line) => {
      const entry = parseLogLine(line);
      return entry === undefined ? [] : [entry.whole ? `${entry.text}\n` : entry.text];
    });
}

async function endOf(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return "";
  try {
    const { size } = await file.stat();
    const end = Buffer.alloc(Math.min(size, longest));
    await file.read(end, 0, end.length, size - end.length);
    return end.toString("utf8");
  } finally {
    await file.close();
  }
}
