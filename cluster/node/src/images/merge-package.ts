import { chmodSync, copyFileSync, linkSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@kedge/machinery";

/** What no program in a container reads. */
const left = new Set([
  "usr/share/doc",
  "usr/share/man",
  "usr/share/locale",
  "usr/share/lintian",
  "usr/share/bug",
  "usr/share/bash-completion",
  "etc/init.d",
  "etc/default",
  "etc/logrotate.d",
  "usr/lib/systemd",
]);

/** Folders at the top that are links into `/usr`. */
const merged = /^(?:bin|sbin|lib|lib64)(?=\/|$)/u;

/**
 * Adds a package's files to an image's root by hard links, so that an image costs next to no room. Both folders are
 * never written to again: containers see them as lower folders of an overlay. Each link takes microseconds, so it is
 * made here; others get their turn between folders.
 */
export async function mergePackage(packageFolder: string, root: string): Promise<void> {
  await mergeFolder(packageFolder, root, "");
}

async function mergeFolder(packageFolder: string, root: string, path: string): Promise<void> {
  const entries = await readdir(join(packageFolder, path), { withFileTypes: true });
  for (const entry of entries) {
    const from = join(path, entry.name);
    const to = placeInImage(from);
    if (to === undefined) continue;
    if (entry.isDirectory()) {
      mkdirSync(join(root, to), { recursive: true });
      chmodSync(join(root, to), lstatSync(join(packageFolder, from)).mode & 0o7777);
      await mergeFolder(packageFolder, root, from);
    } else if (entry.isSymbolicLink()) {
      const target = readlinkSync(join(packageFolder, from));
      unlessThere(() => symlinkSync(target, join(root, to)));
    } else {
      linkOrCopy(join(packageFolder, from), join(root, to));
    }
  }
}

/** Where a package's file lies in an image; undefined: it is left out. */
export function placeInImage(path: string): string | undefined {
  const place = path.replace(merged, "usr/$&");
  return left.has(place) ? undefined : place;
}

/** The cache may be on another disk. */
function linkOrCopy(from: string, to: string): void {
  try {
    unlessThere(() => linkSync(from, to));
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error;
    copyFileSync(from, to);
  }
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
