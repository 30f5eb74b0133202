import { open, type FileHandle } from "node:fs/promises";
import type { Clock } from "@kedge/machinery";
import { parseLogLine, type LogEntry } from "./log-line.ts";
import type { LogOptions } from "./log-options.ts";

/** A log file, and what is known of the container that writes it. */
export interface LogSource {
  readonly path: string;
  /** Whether the container may still write: asked when the end of the file is reached. */
  readonly isRunning: () => Promise<boolean>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long to wait for more at the end of a file that is followed. */
const pollMs = 100;
const chunkBytes = 64 * 1024;

/** What `kubectl logs` shows, piece by piece. With `follow` it ends when the container has ended. */
export async function* readLog(
  source: LogSource,
  options: LogOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const { clock } = source;
  const file = await clock.track(open(source.path, "r").catch(() => undefined));
  if (file === undefined) return;
  let leftBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
  try {
    const start = options.tailLines === undefined ? 0 : await clock.track(tailStart(file, options.tailLines));
    for await (const line of readLines(file, start, { ...source, follow: options.follow })) {
      const entry = parseLogLine(line);
      if (entry === undefined || !isWanted(entry, options)) continue;
      const shown = Buffer.from(show(entry, options)).subarray(0, leftBytes);
      leftBytes -= shown.length;
      yield shown;
      if (leftBytes <= 0) return;
    }
  } finally {
    await clock.track(file.close());
  }
}

function isWanted(entry: LogEntry, { since, stream }: LogOptions): boolean {
  if (stream !== undefined && entry.stream !== stream) return false;
  return since === undefined || Date.parse(entry.time) >= since;
}

function show({ time, text, whole }: LogEntry, { timestamps }: LogOptions): string {
  return `${timestamps ? `${time.replace("+00:00", "Z")} ` : ""}${text}${whole ? "\n" : ""}`;
}

/** Where the last lines begin. A line that was written in pieces is one. */
async function tailStart(file: FileHandle, lines: number): Promise<number> {
  const { size } = await file.stat();
  const text = Buffer.alloc(Math.min(size, longestTail));
  await file.read(text, 0, text.length, size - text.length);
  const begins: number[] = [];
  let continues = false;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf(10, at);
    const end = newline === -1 ? text.length : newline;
    const entry = parseLogLine(text.toString("utf8", at, end));
    if (!continues) begins.push(at);
    continues = entry?.whole === false;
    at = end + 1;
  }
  const begin = lines === 0 ? text.length : (begins.at(-lines) ?? 0);
  return size - text.length + begin;
}

/** More than this is not looked at for the last lines. */
const longestTail = 64 << 20;

async function* readLines(
  file: FileHandle,
  start: number,
  source: LogSource & { readonly follow: boolean },
): AsyncGenerator<string, void, undefined> {
  const { clock, signal, isRunning, follow } = source;
  let position = start;
  let rest = Buffer.alloc(0);
  let isLast = !follow;
  while (!signal.aborted) {
    const { buffer, bytesRead } = await clock.track(
      file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, position),
    );
    if (bytesRead === 0) {
      if (isLast) return;
      // What was written before its end is read once more after it.
      if (await isRunning()) await clock.sleep(pollMs, signal).catch(() => undefined);
      else isLast = true;
      continue;
    }
    position += bytesRead;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    for (let newline = rest.indexOf(10); newline !== -1; newline = rest.indexOf(10)) {
      yield rest.toString("utf8", 0, newline);
      rest = rest.subarray(newline + 1);
    }
  }
}
