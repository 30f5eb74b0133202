import { readFile } from "node:fs/promises";

/** A process that was killed counts as ended before its parent, in a container often a lazy one, has noticed. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !/\) [ZX] /.test(stat);
}
