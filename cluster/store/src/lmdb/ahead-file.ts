import { constants, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { damaged } from "./damaged.ts";
import { decodeFrames, encodeFrame } from "./ahead-frame.ts";
import type { Operation } from "./operations.ts";

/**
 * A file of operations that are durable, but not in the database yet. Written from front to back, each write through
 * to the disk; files follow each other by their numbers.
 */
export class AheadFile {
  readonly number: number;
  readonly #file: FileHandle;
  /** All before this is durable. */
  #size = 0;
  /** Whether a write has failed, so that there may be something behind `size`. */
  #isTorn = false;

  private constructor(number: number, file: FileHandle) {
    this.number = number;
    this.#file = file;
  }

  /** Begins the file with this number, which no file that counts has. */
  static async create(folder: string, number: number): Promise<AheadFile> {
    const { O_WRONLY, O_CREAT, O_TRUNC, O_DSYNC } = constants;
    const file = await open(pathOf(folder, number), O_WRONLY | O_CREAT | O_TRUNC | O_DSYNC, 0o600);
    try {
      const parent = await open(folder, "r");
      try {
        await parent.sync();
      } finally {
        await parent.close();
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    return new AheadFile(number, file);
  }

  /** How many bytes it has. */
  get size(): number {
    return this.#size;
  }

  /** Resolves when the operations are on the disk. When it rejects, none of them will be found there. */
  async append(operations: readonly Operation[]): Promise<void> {
    if (this.#isTorn) await this.#cutBack();
    const frame = encodeFrame(operations, { file: this.number, at: this.#size });
    try {
      for (let written = 0; written < frame.length;) {
        const { bytesWritten } = await this.#file.write(frame, written, undefined, this.#size + written);
        written += bytesWritten;
      }
    } catch (error) {
      this.#isTorn = true;
      await this.#cutBack().catch(() => undefined);
      throw error;
    }
    this.#size += frame.length;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #cutBack(): Promise<void> {
    await this.#file.truncate(this.#size);
    await this.#file.sync();
    this.#isTorn = false;
  }
}

/**
 * The operations in the files from a number on, and the number of the last; none from 0 on. Throws `DAMAGED` with the
 * name of the file.
 */
export function readAhead(
  folder: string,
  first: number,
): { readonly operations: readonly Operation[]; readonly last: number } {
  if (first === 0) return { operations: [], last: 0 };
  const operations: Operation[] = [];
  const numbers = numbersIn(folder).filter((number) => number >= first);
  const last = numbers.at(-1) ?? first;
  // A file that is begun stays empty until all before it is whole.
  const lastWritten = numbers.findLast((number) => statSync(pathOf(folder, number)).size > 0) ?? first;
  for (let number = first; number <= last; number++) {
    const path = pathOf(folder, number);
    if (!existsSync(path)) throw damaged(path, "it is missing");
    const found = decodeFrames(readFileSync(path), number, { isLast: number >= lastWritten });
    if (typeof found === "string") throw damaged(path, found);
    for (const operation of found) operations.push(operation);
  }
  return { operations, last };
}

/** Removes the files before a number: what they hold is in the database. */
export async function removeAhead(folder: string, before: number): Promise<void> {
  for (const number of numbersIn(folder)) if (number < before) await rm(pathOf(folder, number));
}

function numbersIn(folder: string): readonly number[] {
  return readdirSync(folder)
    .flatMap((name) => /^ahead\.(\d+)$/u.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

function pathOf(folder: string, number: number): string {
  return join(folder, `ahead.${number}`);
}
