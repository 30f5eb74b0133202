import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { open, opendir, type FileHandle } from "node:fs/promises";
import { hasCode } from "@kedge/machinery";

/** A descriptor that only stands for a file: nothing is read, no device wakes up. Node has no name for it. */
const justThePlace = 0o10000000;

/**
 * A path that means exactly what the descriptor stands for, whatever is renamed meanwhile. What follows a slash is
 * looked up in that very folder: Node's way to `openat`.
 */
export function pathOf(handle: FileHandle, name?: string): string {
  const path = `/proc/self/fd/${handle.fd}`;
  return name === undefined ? path : `${path}/${name}`;
}

/** Opens a folder by a path that is ours to trust: links in it are followed. */
export async function openFolder(path: string): Promise<FileHandle> {
  return await open(path, justThePlace | constants.O_DIRECTORY);
}

/** Opens what a folder has under a name (one, not a path). A link is opened itself, never what it leads to. */
export async function openEntry(folder: FileHandle, name: string): Promise<FileHandle> {
  return await open(pathOf(folder, name), justThePlace | constants.O_NOFOLLOW);
}

/** Something in a folder: open for as long as it is looked at. */
export interface Entry {
  /** Means exactly this, as `pathOf` does. */
  readonly path: string;
  readonly stats: Stats;
}

/** Each level of folders holds a descriptor. */
const mostLevels = 256;
/** So many names are looked at before others get their turn. */
const atOnce = 16;

/**
 * Goes through all that is below a folder, and through no link, however its owner moves things about meanwhile. What
 * vanishes is left out. Nothing is kept of what was seen: folders of any size cost no memory. Each look is a system call
 * of microseconds, made here: a thread for each would take twenty times as long.
 */
export async function* entriesBelow(
  folder: string,
  signal?: AbortSignal,
  levels = mostLevels,
): AsyncGenerator<Entry, void, undefined> {
  if (levels === 0) throw new Error(`more than ${mostLevels} folders lie in one another`);
  // Names are bytes, and need not be UTF-8.
  for await (const { name } of await opendir(folder, { encoding: "latin1", bufferSize: atOnce })) {
    signal?.throwIfAborted();
    const descriptor = openUnlessGone(Buffer.from(`${folder}/${name}`, "latin1"));
    if (descriptor === undefined) continue;
    try {
      const path = `/proc/self/fd/${descriptor}`;
      const stats = fstatSync(descriptor);
      yield { path, stats };
      if (stats.isDirectory()) yield* entriesBelow(path, signal, levels - 1);
    } finally {
      closeSync(descriptor);
    }
  }
}

function openUnlessGone(path: Buffer): number | undefined {
  try {
    return openSync(path, justThePlace | constants.O_NOFOLLOW);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    return undefined;
  }
}
