import { chmod, chown, type FileHandle } from "node:fs/promises";
import { entriesBelow, openFolder, pathOf } from "./descriptor.ts";

/**
 * Gives a folder and all in it to a group, readable and writable for its members; new files inherit the group.
 * `onlyOnMismatch` leaves it at that when the folder itself is right already. Works on what it has opened, never on a
 * path: a container that puts links in the way meanwhile gives away nothing but its own files.
 */
export async function giveToGroup(
  folder: string,
  group: number,
  options: { readonly onlyOnMismatch: boolean; readonly signal?: AbortSignal },
): Promise<void> {
  await using root = await openFolder(folder);
  const { gid, mode } = await root.stat();
  if (options.onlyOnMismatch && gid === group && (mode & folderBits) === folderBits) return;
  // The root last: a walk that was cut off is begun again.
  for await (const { handle, stats } of entriesBelow(root, options.signal)) {
    await give(handle, group);
    // A link has no mode of its own.
    if (stats.isDirectory()) await allow(handle, stats.mode | folderBits);
    else if (!stats.isSymbolicLink()) await allow(handle, stats.mode | fileBits);
  }
  await give(root, group);
  await allow(root, mode | folderBits);
}

const folderBits = 0o2770;
const fileBits = 0o660;
/** To `chown`: leave the owner as it is. */
const sameOwner = -1;

async function give(handle: FileHandle, group: number): Promise<void> {
  await chown(pathOf(handle), sameOwner, group);
}

async function allow(handle: FileHandle, mode: number): Promise<void> {
  await chmod(pathOf(handle), mode & 0o7777);
}
