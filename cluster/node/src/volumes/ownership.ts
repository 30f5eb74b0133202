import { chmod, chown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Gives a folder and all in it to a group, readable and writable for its members; new files inherit the group.
 * `onlyOnMismatch` leaves it at that when the folder itself is right already.
 */
export async function giveToGroup(
  folder: string,
  group: number,
  options: { readonly onlyOnMismatch: boolean },
): Promise<void> {
  if (options.onlyOnMismatch) {
    const { gid, mode } = await lstat(folder);
    if (gid === group && (mode & folderBits) === folderBits) return;
  }
  await give(folder, group);
}

const folderBits = 0o2770;
const fileBits = 0o660;

async function give(path: string, group: number): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return;
  await chown(path, entry.uid, group);
  await chmod(path, (entry.mode & 0o7777) | (entry.isDirectory() ? folderBits : fileBits));
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) await give(join(path, name), group);
}
