import { closeSync, openSync, readSync, statSync } from "node:fs";

const most = 8;
/** Logs may be long, and only their end is shown. */
const mostBytes = 64 * 1024;

/** How long a log is now; 0 when there is none. */
export function logLength(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The last lines that were written to a log after it was `from` bytes long, for people. */
export function logTail(path: string, from = 0): readonly string[] {
  const written = endOf(path, from);
  // Where in the code something was thrown says less than what: it would push that out of sight.
  const lines = written.split("\n").filter((line) => line.trim() !== "" && !/^\s+at /u.test(line));
  return lines.slice(-most).map(readable);
}

function endOf(path: string, from: number): string {
  const length = logLength(path);
  // One that is shorter than it was has been begun anew.
  const start = Math.max(from > length ? 0 : from, length - mostBytes);
  const bytes = Buffer.alloc(Math.max(0, length - start));
  if (bytes.length === 0) return "";
  const file = openSync(path, "r");
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start)).toString();
  } finally {
    closeSync(file);
  }
}

/** Lines of our own logger are JSON; what else comes (a crash of Node.js) is shown as it is. */
function readable(line: string): string {
  const entry = parsed(line);
  const [time, level, said] = ["time", "level", "msg"].map((name) => entry.get(name));
  if (typeof said !== "string") return line;
  const error = messageOf(entry.get("error"));
  return `${String(time).slice(11, 19)} ${String(level)} ${said}${error === undefined ? "" : `: ${error}`}`;
}

function parsed(line: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return new Map(Object.entries(value ?? {}));
  } catch {
    return new Map();
  }
}

function messageOf(error: unknown): string | undefined {
  const message: unknown = new Map(Object.entries(error ?? {})).get("message");
  return typeof message === "string" ? message : undefined;
}
