import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeBaseFiles } from "./base-files.ts";

/** What of this machine a host image shows: programs and libraries, how they are found, and CA certificates. */
const shownFolders = [
  "usr",
  "bin",
  "sbin",
  "lib",
  "lib32",
  "lib64",
  "libx32",
  "etc/ssl/certs",
  "etc/alternatives",
];
const shownFiles = ["etc/ld.so.cache", "etc/ssl/openssl.cnf", "etc/ca-certificates.conf"];

/** A host image's root, made in an empty folder. */
export interface HostRoot {
  readonly mounts: readonly { readonly source: string; readonly target: string; readonly readOnly: true }[];
}

/**
 * Makes the root of a host image: places for what is shown, and accounts of its own. Never a user's folder, never a
 * password, never a key.
 */
export async function makeHostRoot(root: string, machine = "/"): Promise<HostRoot> {
  const mounts: { source: string; target: string; readOnly: true }[] = [];
  for (const path of shownFolders) {
    const source = join(machine, path);
    const place = join(root, path);
    const entry = await lstat(source).catch(() => undefined);
    if (entry === undefined) continue;
    await mkdir(dirname(place), { recursive: true });
    // On most machines /bin and its like are links into /usr.
    if (entry.isSymbolicLink()) {
      await symlink(await readlink(source), place);
    } else {
      await mkdir(place, { recursive: true });
      mounts.push({ source, target: join("/", path), readOnly: true });
    }
  }
  for (const path of shownFiles) {
    const source = join(machine, path);
    if (!existsSync(source)) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), "");
    mounts.push({ source, target: join("/", path), readOnly: true });
  }
  await writeBaseFiles(root, []);
  return { mounts };
}

/** Names the machine's system, for the image's id and origin. */
export async function hostSystem(machine = "/"): Promise<{ readonly name: string; readonly sum: string }> {
  const text = await readFile(join(machine, "etc/os-release"), "utf8").catch(() => "");
  const name = /^PRETTY_NAME="?([^"\n]+)"?$/mu.exec(text)?.[1] ?? "this machine";
  const sum = createHash("sha256")
    .update(JSON.stringify([text, shownFolders, shownFiles]))
    .digest("hex");
  return { name, sum };
}
