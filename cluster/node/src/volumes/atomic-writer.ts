import {
  chmod,
  chown,
  lstat,
  mkdir,
  readFile,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Payload } from "./payload.ts";

const link = "..data";

/**
 * Brings a folder to hold exactly these files, all at once for whoever looks: the files lie in a folder of their own,
 * a symbolic link `..data` names it and is replaced in one step, and each file is a link through it. Does nothing when
 * the files are these already. `version` names the new folder and must differ from call to call.
 */
export async function writeAtomically(
  folder: string,
  payload: Payload,
  options: { readonly version: string; readonly group?: number | undefined },
): Promise<{ readonly changed: boolean }> {
  const current = await readlink(join(folder, link)).catch(() => undefined);
  if (current !== undefined && (await holds(join(folder, current), payload))) return { changed: false };
  const fresh = `..${options.version}`;
  const path = join(folder, fresh);
  await mkdir(path, { mode: 0o755 });
  await chmod(path, 0o755);
  await writeFiles(path, payload, options.group);
  const temporary = join(folder, `${link}_tmp`);
  await rm(temporary, { force: true });
  await symlink(fresh, temporary);
  await rename(temporary, join(folder, link));
  await linkFiles(folder, payload);
  if (current !== undefined) await rm(join(folder, current), { recursive: true, force: true });
  return { changed: true };
}

async function holds(folder: string, payload: Payload): Promise<boolean> {
  const present = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (present?.filter((entry) => entry.isFile()).length !== payload.size) return false;
  for (const [path, file] of payload) {
    const stored = await readFile(join(folder, path)).catch(() => undefined);
    if (stored === undefined || !stored.equals(file.data)) return false;
  }
  return true;
}

async function writeFiles(folder: string, payload: Payload, group: number | undefined): Promise<void> {
  for (const [path, { data, mode, owner }] of payload) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    await writeFile(target, data, { mode: 0o600 });
    if (group !== undefined || owner !== undefined) await chown(target, owner ?? 0, group ?? 0);
    // Group members must be able to read what is theirs.
    await chmod(target, group === undefined ? mode : mode | 0o440);
  }
}

/** The first part of every path becomes a link; links that lead nowhere any more go. */
async function linkFiles(folder: string, payload: Payload): Promise<void> {
  const wanted = new Set([...payload.keys()].map((path) => path.split("/")[0] ?? path));
  for (const name of await readdir(folder)) {
    if (name.startsWith("..") || wanted.has(name)) continue;
    const entry = await lstat(join(folder, name));
    if (entry.isSymbolicLink()) await unlink(join(folder, name));
  }
  for (const name of wanted) {
    const target = join(link, name);
    const present = await readlink(join(folder, name)).catch(() => undefined);
    if (present !== target) await symlink(target, join(folder, name));
  }
}
