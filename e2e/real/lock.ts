import { mkdir, readlink, rm, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode, realClock } from "@kedge/machinery";

/**
 * Does some work while no other process does it. The lock is a symbolic link to its owner's process id: made in one
 * step, so it is never seen without an owner. A dead owner's lock is taken over. Two that take over at the same moment
 * may both go on: what they do must be right then too, only twice the work.
 */
export async function withLock<T>(
  path: string,
  onWait: (owner: number) => void,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let told = false;
  while (!(await take(path))) {
    const owner = Number(await readlink(path).catch(() => ""));
    if (owner > 0 && !isAlive(owner)) {
      await rm(path, { force: true });
      continue;
    }
    if (!told && owner > 0) onWait(owner);
    told ||= owner > 0;
    await realClock.sleep(200);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await symlink(String(process.pid), path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}
