import { open, stat, type FileHandle } from "node:fs/promises";
import type { Clock } from "@kedge/machinery";
import { logFiles } from "./log-files.ts";
import { parseLogLine, type LogEntry } from "./log-line.ts";
import type { LogOptions } from "./log-options.ts";
import { tailOf, type LogPlace } from "./log-tail.ts";

/** A log, and what is known of the container that writes it. */
export interface LogSource {
  /** The file that is written to; older ones lie beside it. */
  readonly path: string;
  /** Whether the container may still write: asked when the end of the file is reached. */
  readonly isRunning: () => Promise<boolean>;
  /** Where to begin, instead of at the lines that are asked for. */
  readonly from?: LogPlace | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long to wait for more at the end of a file that is followed. */
const pollMs = 100;
const chunkBytes = 64 * 1024;

/** Where a log ends now. */
export async function endOfLog(path: string): Promise<LogPlace> {
  return (await tailOf(logFiles(path), 0)) ?? { file: path, start: 0 };
}

/** What `kubectl logs` shows, piece by piece. With `follow` it ends when the container has ended. */
export async function* readLog(
  source: LogSource,
  options: LogOptions,
): AsyncGenerator<Buffer, void, undefined> {
  let leftBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const line of readLines(source, options)) {
    const entry = parseLogLine(line);
    if (entry === undefined || !isWanted(entry, options)) continue;
    const shown = Buffer.from(show(entry, options)).subarray(0, leftBytes);
    leftBytes -= shown.length;
    yield shown;
    if (leftBytes <= 0) return;
  }
}

function isWanted(entry: LogEntry, { since, stream }: LogOptions): boolean {
  if (stream !== undefined && entry.stream !== stream) return false;
  return since === undefined || Date.parse(entry.time) >= since;
}

function show({ time, text, whole }: LogEntry, { timestamps }: LogOptions): string {
  return `${timestamps ? `${time.replace("+00:00", "Z")} ` : ""}${text}${whole ? "\n" : ""}`;
}

/** The lines of all files, one after the other. */
async function* readLines(
  source: LogSource,
  { tailLines, follow }: LogOptions,
): AsyncGenerator<string, void, undefined> {
  const { clock, path } = source;
  let place = source.from ?? (await clock.track(tailOf(logFiles(path), tailLines)));
  while (place !== undefined) {
    const file: FileHandle | undefined = await clock.track(openPlace(place.file, path));
    if (file === undefined) return;
    try {
      yield* readFrom(file, place.start, { ...source, follow });
      if (place.file === path && !follow) return;
      const next: string | undefined = await clock.track(fileAfter(file, place.file, path));
      place = next === undefined ? undefined : { file: next, start: 0 };
    } finally {
      await clock.track(file.close());
    }
  }
}

/** In the moment of its rotation a file has no name, or another one. */
async function openPlace(name: string, path: string): Promise<FileHandle | undefined> {
  const file = await open(name, "r").catch(() => undefined);
  if (file !== undefined) return file;
  const newest = (await logFiles(path)).at(-1);
  return newest === undefined ? undefined : await open(newest, "r").catch(() => undefined);
}

/** The file that was begun after this one; undefined when this is the one that is written to. */
async function fileAfter(file: FileHandle, name: string, path: string): Promise<string | undefined> {
  const { ino } = await file.stat();
  const files = await logFiles(path);
  const numbers = await Promise.all(files.map((one) => numberOf(one)));
  const index = numbers.indexOf(ino);
  if (index !== -1) return files[index + 1];
  // It was removed: because it was the oldest, or because its writer began anew in its place.
  return name === path ? path : files.find((one) => one > name || one === path);
}

async function numberOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.ino;
}

async function* readFrom(
  file: FileHandle,
  start: number,
  source: LogSource & { readonly follow: boolean },
): AsyncGenerator<string, void, undefined> {
  const { clock, signal, isRunning, follow, path } = source;
  const { ino } = await clock.track(file.stat());
  let position = start;
  let rest = Buffer.alloc(0);
  let isLast = !follow;
  while (!signal.aborted) {
    const { buffer, bytesRead } = await clock.track(
      file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, position),
    );
    if (bytesRead === 0) {
      if (isLast) return;
      // What was written before its end, or before the next file was begun, is read once more after it.
      const current = await clock.track(numberOf(path));
      if ((current !== undefined && current !== ino) || !(await isRunning())) isLast = true;
      else await clock.sleep(pollMs, signal).catch(() => undefined);
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
