import { chmodSync, chownSync } from "node:fs";
import { entriesBelow, openFolder, pathOf, type Entry } from "./descriptor.ts";

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
  const stats = await root.stat();
  const isRight = stats.gid === group && (stats.mode & folderBits) === folderBits;
  if (options.onlyOnMismatch && isRight) return;
  for await (const entry of entriesBelow(pathOf(root), options.signal)) give(entry, group);
  // The root last: a walk that was cut off is begun again.
  give({ path: pathOf(root), stats }, group);
}

const folderBits = 0o2770;
const fileBits = 0o660;
/** To `chown`: leave the owner as it is. */
const sameOwner = -1;

/** Files that are right already are left alone: a restart with many of them is quick. */
function give({ path, stats }: Entry, group: number): void {
  if (stats.gid !== group) chownSync(path, sameOwner, group);
  // A link has no mode of its own.
  if (stats.isSymbolicLink()) return;
  const bits = stats.isDirectory() ? folderBits : fileBits;
  if (stats.gid !== group || (stats.mode & bits) !== bits) chmodSync(path, (stats.mode | bits) & 0o7777);
}
