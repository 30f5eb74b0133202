import { open, type FileHandle } from "node:fs/promises";
import { parseLogLine } from "./log-line.ts";

/** Where reading begins. */
export interface LogPlace {
  readonly file: string;
  readonly start: number;
}

const chunkBytes = 64 << 10;

/**
 * Where the last lines of some files begin; a line that was written in pieces is one. Without a number it is where the
 * first file begins. Undefined: there is no file.
 */
export async function tailOf(
  log: Promise<readonly string[]>,
  lines: number | undefined,
): Promise<LogPlace | undefined> {
  const files = await log;
  const [first] = files;
  if (first === undefined) return undefined;
  if (lines === undefined) return { file: first, start: 0 };
  let left = lines;
  for (const file of files.toReversed()) {
    const { start, found } = await tailOfFile(file, left);
    if (found >= left || file === first) return { file, start };
    left -= found;
  }
  return { file: first, start: 0 };
}

/** Goes back piece by piece: the longest log does not keep others waiting. */
async function tailOfFile(
  path: string,
  lines: number,
): Promise<{ readonly start: number; readonly found: number }> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return { start: 0, found: 0 };
  try {
    const { size } = await file.stat();
    if (lines === 0) return { start: size, found: 0 };
    let found = 0;
    // An entry begins a line unless the one before it says that the line goes on.
    let later = size;
    for await (const { at, whole } of entriesBackwards(file, size)) {
      if (whole && later < size && (found += 1) === lines) return { start: later, found };
      later = at;
    }
    return { start: 0, found: size === 0 ? 0 : found + 1 };
  } finally {
    await file.close();
  }
}

/** Where each entry begins, and whether its line ends with it; the last one first. */
async function* entriesBackwards(
  file: FileHandle,
  size: number,
): AsyncGenerator<{ readonly at: number; readonly whole: boolean }, void, undefined> {
  let end = size;
  let text = Buffer.alloc(0);
  while (end > 0 || text.length > 0) {
    const chunk = Buffer.alloc(Math.min(chunkBytes, end));
    await file.read(chunk, 0, chunk.length, end - chunk.length);
    end -= chunk.length;
    text = Buffer.concat([chunk, text]);
    // The last byte ends the last line.
    let newline = text.lastIndexOf(10, -2);
    while (newline !== -1) {
      yield entryOf(text.subarray(newline + 1), end + newline + 1);
      text = text.subarray(0, newline + 1);
      newline = text.length < 2 ? -1 : text.lastIndexOf(10, -2);
    }
    if (end > 0) continue;
    if (text.length > 0) yield entryOf(text, 0);
    return;
  }
}

function entryOf(text: Buffer, at: number): { readonly at: number; readonly whole: boolean } {
  const line = text.at(-1) === 10 ? text.subarray(0, -1) : text;
  return { at, whole: parseLogLine(line.toString("utf8"))?.whole !== false };
}
