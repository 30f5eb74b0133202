import { chmod, chown, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ImageUser } from "./recipe.ts";

/** Folders that programs expect, with their modes. */
const folders: readonly (readonly [path: string, mode: number])[] = [
  ["usr/bin", 0o755],
  ["usr/sbin", 0o755],
  ["usr/lib", 0o755],
  ["usr/local/bin", 0o755],
  ["etc", 0o755],
  ["var/lib", 0o755],
  ["var/tmp", 0o1777],
  ["run", 0o755],
  ["tmp", 0o1777],
  ["root", 0o700],
  ["home", 0o755],
  ["proc", 0o755],
  ["sys", 0o755],
  ["dev", 0o755],
];

/** Writes what every image has beside its packages: folders, and accounts of its own, nothing of the machine's. */
export async function writeBaseFiles(root: string, users: readonly ImageUser[]): Promise<void> {
  await chmod(root, 0o755);
  for (const [path, mode] of folders) {
    await mkdir(join(root, path), { recursive: true });
    await chmod(join(root, path), mode);
  }
  await writeFiles(root, {
    "etc/passwd": [
      "root:x:0:0:root:/root:/bin/sh",
      ...users.map(({ name, id, home }) => `${name}:x:${id}:${id}::${home}:/bin/sh`),
      "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
    ],
    "etc/group": [
      "root:x:0:",
      "tty:x:5:",
      ...users.map(({ name, id }) => `${name}:x:${id}:`),
      "nogroup:x:65534:",
    ],
    "etc/nsswitch.conf": ["passwd: files", "group: files", "hosts: files dns"],
    // Kedge mounts the pod's own over these.
    "etc/hosts": ["127.0.0.1 localhost"],
    "etc/resolv.conf": [],
    "etc/hostname": [],
  });
}

/** Debian's packages have files in `/bin` and in `/usr/bin`; both are the same folder. */
export async function linkMergedFolders(root: string): Promise<void> {
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    await mkdir(join(root, "usr", name), { recursive: true });
    await symlink(`usr/${name}`, join(root, name));
  }
}

/** Writes scripts that can be run. */
export async function writeScripts(root: string, scripts: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(scripts)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
    await chmod(join(root, path), 0o755);
  }
}

/** Makes folders that belong to a user of the image. */
export async function makeUserFolders(
  root: string,
  wanted: readonly { readonly path: string; readonly owner: string }[],
  users: readonly ImageUser[],
): Promise<void> {
  for (const { path, owner } of wanted) {
    const id = users.find(({ name }) => name === owner)?.id ?? 0;
    await mkdir(join(root, path), { recursive: true });
    await chmod(join(root, path), 0o755);
    await chown(join(root, path), id, id);
  }
}

async function writeFiles(root: string, files: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [path, lines] of Object.entries(files)) {
    await writeFile(join(root, path), lines.map((line) => `${line}\n`).join(""));
    await chmod(join(root, path), 0o644);
  }
}
