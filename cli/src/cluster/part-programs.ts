import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "@kedge/machinery";
import type { ClusterFolder } from "./cluster-folder.ts";
import { describeProcess, signalAll, waitForEnd, type RunningProcess } from "./running-processes.ts";

/** In the environment of every part, and of each program that it starts: its role and the folder of its cluster. */
const mark = "KEDGE_PART";

/** What makes a process known as one of a part, for its environment. */
export function partMark(folder: ClusterFolder, role: string): Readonly<Record<string, string>> {
  return { [mark]: `${role} ${folder.path}` };
}

/** How long what was killed may take to be gone. */
const patience = 10_000;

/**
 * Ends the programs that parts have started and that go on after them, such as one that was about to change the
 * network when its part was killed: what it does would come after all was taken away. Containers are none of them.
 */
export async function endPartPrograms(
  folder: ClusterFolder,
  { role, clock }: { readonly role?: string; readonly clock: Clock },
): Promise<void> {
  const left = partPrograms(folder, role);
  signalAll(left, "SIGKILL");
  await waitForEnd(left, { clock, patience });
}

/** The processes of a cluster's parts, or of one, but this very process and its parent. */
export function partPrograms(folder: ClusterFolder, role?: string): readonly RunningProcess[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && pid !== process.ppid)
    .filter((pid) => {
      const [marked, path] = markOf(pid);
      return path === folder.path && (role === undefined || marked === role);
    })
    .map((pid) => describeProcess("program", pid));
}

/** The role and the folder that a process has in its environment. */
function markOf(pid: number): readonly [string, string] {
  let environment = "";
  try {
    environment = readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    // It has ended.
  }
  const entry = environment.split("\0").find((word) => word.startsWith(`${mark}=`)) ?? "";
  const value = entry.slice(mark.length + 1);
  // Roles have no spaces.
  const end = value.indexOf(" ");
  return [value.slice(0, Math.max(0, end)), value.slice(end + 1)];
}
