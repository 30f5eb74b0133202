import { hasCode } from "@kedge/machinery";
import { pidsIn, type Role } from "../../soak/part-processes.ts";

/**
 * Does something while a part of a cluster is stopped. One that stays so for long is started anew by its supervisor:
 * then nobody is there to go on.
 */
export async function whileStopped(
  { dir }: { readonly dir: string },
  role: Role,
  work: () => Promise<void>,
): Promise<void> {
  const pid = pidsIn(dir).get(role);
  if (pid === undefined) throw new Error(`${role} does not run`);
  process.kill(pid, "SIGSTOP");
  try {
    await work();
  } finally {
    signalIfThere(pid, "SIGCONT");
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}
