import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** What an oracle that had this folder for its temporary files has left: files, and processes that work in it. */
export async function remainsIn(folder: string): Promise<readonly string[]> {
  return [...(await readdir(folder)), ...(await processesIn(folder))];
}

async function processesIn(folder: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
  const found: string[] = [];
  for (const pid of pids) {
    // A process may end while we look.
    const cwd = await readlink(join("/proc", pid, "cwd")).catch(() => "");
    const environment = await readFile(join("/proc", pid, "environ"), "utf8").catch(() => "");
    const isOurs = cwd.startsWith(folder) || environment.split("\0").includes(`TMPDIR=${folder}`);
    if (isOurs) found.push(`process ${pid}: ${await commandOf(pid)}`);
  }
  return found;
}

async function commandOf(pid: string): Promise<string> {
  const line = await readFile(join("/proc", pid, "cmdline"), "utf8").catch(() => "");
  return line.split("\0").slice(0, 3).join(" ");
}
