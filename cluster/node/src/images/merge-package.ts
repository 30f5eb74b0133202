import { copyFile, chmod, link, lstat, mkdir, readdir, readlink, symlink } from "node:fs/promises";
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
 * never written to again: containers see them as lower folders of an overlay.
 */
export async function mergePackage(packageFolder: string, root: string): Promise<void> {
  await mergeFolder(packageFolder, root, "");
}

async function mergeFolder(packageFolder: string, root: string, path: string): Promise<void> {
  const entries = await readdir(join(packageFolder, path), { withFileTypes: true });
  for (const entry of entries) {
    const from = join(path, entry.name);
    const to = from.replace(merged, "usr/$&");
    if (left.has(to)) continue;
    if (entry.isDirectory()) {
      await mkdir(join(root, to), { recursive: true });
      await chmod(join(root, to), (await lstat(join(packageFolder, from))).mode & 0o7777);
      await mergeFolder(packageFolder, root, from);
    } else if (entry.isSymbolicLink()) {
      const target = await readlink(join(packageFolder, from));
      await symlink(target, join(root, to)).catch(ignoreExisting);
    } else {
      await linkOrCopy(join(packageFolder, from), join(root, to));
    }
  }
}

/** The cache may be on another disk. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!hasCode(error, "EXDEV")) return ignoreExisting(error);
    await copyFile(from, to);
  }
}

function ignoreExisting(error: unknown): void {
  if (!hasCode(error, "EEXIST")) throw error;
}
