import { closeSync, fstatSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatMicroTime, inBackground, type Clock, type Logger } from "@kedge/machinery";
import type { AuditSink } from "./types.ts";

/** Where events go, and how much of them is kept. */
export interface AuditFileOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A file with so many bytes is put aside. */
  readonly maxBytes: number;
  /** So many of those are kept. */
  readonly maxBackups: number;
  /** So many bytes may wait for the disk; what comes then is dropped, and counted. Default 16 MiB. */
  readonly maxWaiting?: number | undefined;
}

const defaultWaiting = 16 * 1024 * 1024;
/** That events were dropped is said so often, in milliseconds. */
const sayEvery = 10_000;

/** Writes events to a file, in the background: no request waits for it, and a full or slow disk costs events, not requests. */
export class AuditFile implements AuditSink {
  readonly #options: AuditFileOptions;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #size: number;
  #file: FileHandle | undefined;
  #writing: Promise<void> | undefined;
  #dropped = 0;
  #unsaid = 0;
  #saidAt = -Infinity;
  #rotatedAt = 0;

  constructor(options: AuditFileOptions) {
    this.#options = options;
    mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
    // To be told of a path that cannot be written before the first request.
    const file = openSync(options.path, "a", 0o600);
    this.#size = fstatSync(file).size;
    closeSync(file);
  }

  /** How many events were dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    const { maxWaiting = defaultWaiting } = this.#options;
    if (this.#waitingBytes + line.length > maxWaiting) {
      this.#drop(1);
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#writing ??= this.#start();
  }

  /** Writes what waits, and lets go of the file. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close().catch(() => undefined);
    this.#file = undefined;
  }

  #start(): Promise<void> {
    const work = this.#options.clock.track(this.#drain());
    inBackground(work, () => undefined);
    return work;
  }

  async #drain(): Promise<void> {
    // What comes in the same turn is written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      try {
        await this.#append(Buffer.from(lines.join("")));
      } catch (error) {
        await this.#file?.close().catch(() => undefined);
        this.#file = undefined;
        this.#drop(lines.length, error);
      }
    }
    this.#writing = undefined;
  }

  async #append(bytes: Buffer): Promise<void> {
    const { path, maxBytes } = this.#options;
    if (this.#size > 0 && this.#size + bytes.length > maxBytes) await this.#rotate();
    this.#file ??= await open(path, "a", 0o600);
    await this.#file.write(bytes);
    this.#size += bytes.length;
  }

  async #rotate(): Promise<void> {
    const { path, clock, maxBackups } = this.#options;
    await this.#file?.close();
    this.#file = undefined;
    // No two of a name: one would take the place of the other.
    this.#rotatedAt = Math.max(clock.now(), this.#rotatedAt + 1);
    const time = formatMicroTime(this.#rotatedAt).replaceAll(":", "-");
    await rename(path, backupName(path, time));
    this.#size = 0;
    const backups = readdirSync(dirname(path))
      .filter((name) => isBackup(path, name))
      .toSorted();
    for (const name of backups.slice(0, Math.max(0, backups.length - maxBackups)))
      await rm(join(dirname(path), name), { force: true });
  }

  #drop(count: number, error?: unknown): void {
    const { clock, logger } = this.#options;
    this.#dropped += count;
    this.#unsaid += count;
    if (clock.monotonic() - this.#saidAt < sayEvery) return;
    this.#saidAt = clock.monotonic();
    logger.error("Audit events were dropped: the disk does not keep up, or cannot be written", {
      dropped: this.#unsaid,
      droppedInAll: this.#dropped,
      ...(error !== undefined && { error }),
    });
    this.#unsaid = 0;
  }
}

/** `audit-2026-01-02T03-04-05.678901Z.log` of `audit.log`: in the order of their names they are in that of time. */
function backupName(path: string, time: string): string {
  const name = basename(path).replace(/\.log$/u, "");
  return join(dirname(path), `${name}-${time}.log`);
}

function isBackup(path: string, name: string): boolean {
  const stem = basename(path).replace(/\.log$/u, "");
  return (
    name.startsWith(`${stem}-`) &&
    /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}Z\.log$/u.test(name.slice(stem.length))
  );
}
