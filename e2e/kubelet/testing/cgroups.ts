import { existsSync } from "node:fs";
import { mkdir, readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";

/** A cgroup in every hierarchy of this machine. */
export interface TestCgroup extends AsyncDisposable {
  readonly name: string;
}

const mounts = "/sys/fs/cgroup";
/** With the id of the process whose it is. */
const prefix = "kedge-kubelet-";

/** Makes one for this process alone, and takes away what others have left who were killed. */
export async function makeCgroup(): Promise<TestCgroup> {
  const hierarchies = (await foldersIn(mounts)).map((name) => join(mounts, name));
  for (const hierarchy of hierarchies) await removeAbandoned(hierarchy);
  const name = `${prefix}${process.pid}`;
  for (const hierarchy of hierarchies) await mkdir(join(hierarchy, name));
  return {
    name,
    async [Symbol.asyncDispose]() {
      for (const hierarchy of hierarchies) await removeGroups(join(hierarchy, name));
    },
  };
}

async function removeAbandoned(hierarchy: string): Promise<void> {
  for (const name of await foldersIn(hierarchy)) {
    const isAbandoned = name.startsWith(prefix) && !existsSync(`/proc/${name.slice(prefix.length)}`);
    if (isAbandoned) await removeGroups(join(hierarchy, name));
  }
}

/** The deepest first. Nobody is in them any more. */
async function removeGroups(folder: string): Promise<void> {
  for (const name of await foldersIn(folder)) await removeGroups(join(folder, name));
  await rmdir(folder);
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
