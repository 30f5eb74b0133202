import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { hasCode } from "@kedge/machinery";

/**
 * Locks an open file; gives whether it did. The kernel keeps the lock with the open file, so it cannot outlive whoever
 * has it open, and no file has to be judged stale. Node.js has no call for it; flock(1) locks a file that it inherits.
 */
export async function lockOpenFile(
  fd: number,
  flags: readonly string[] = [],
  signal?: AbortSignal,
): Promise<boolean> {
  const child = spawn("flock", [...flags, "3"], { stdio: ["ignore", "ignore", "ignore", fd] });
  const stop = (): boolean => child.kill();
  signal?.addEventListener("abort", stop);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject).on("exit", resolve);
      if (signal?.aborted === true) stop();
    });
    if (code === 0) return true;
    if (code === 1 || code === null) return false;
    throw new Error(`flock ended with code ${code}: the file system must be one that has locks`);
  } catch (error) {
    if (hasCode(error, "ENOENT"))
      throw new Error("`flock` was not found: install it (`apt-get install util-linux`)", { cause: error });
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/** Does something while no other process does it; the file is made where there is none. The signal ends the waiting. */
export async function whileLocked<T>(path: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const file = await open(path, "a", 0o600);
  try {
    if (!(await lockOpenFile(file.fd, [], signal))) {
      signal.throwIfAborted();
      throw new Error(`${path} could not be locked`);
    }
    return await work();
  } finally {
    await file.close();
  }
}
