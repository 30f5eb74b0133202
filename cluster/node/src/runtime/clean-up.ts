import { resolve } from "node:path";
import type { Clock, Logger } from "@kedge/machinery";
import { killCgroup } from "./cgroups.ts";
import { containerFolders } from "./container-record.ts";
import { keepEnds, runningIds } from "./past-ends.ts";
import { processesOf, signalProcess } from "./processes.ts";
import { removeTree } from "@kedge/network/remove-tree";
import { runProgram } from "@kedge/network/run-program";
import { cgroupParentOf } from "./runc-runtime.ts";

/** Whose leftovers are removed. */
export interface CleanUpOptions {
  /** As the runtime had it. */
  readonly folder: string;
  readonly programs: { readonly runc: string };
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cgroupParent?: string;
  /** Whether how containers ended is kept for the next runtime of this folder. Default: nothing is. */
  readonly keepEnds?: boolean;
}

/**
 * Ends every container of a folder and removes all that is left of them (processes, monitors, control groups, their
 * folders), whatever state a kill has left them in. Logs lie elsewhere and stay. The runtime must be closed.
 */
export async function cleanUp(options: CleanUpOptions): Promise<void> {
  const { clock, logger } = options;
  const folders = containerFolders(resolve(options.folder));
  const killed = options.keepEnds === true ? await runningIds(folders) : undefined;
  await killCgroup(options.cgroupParent ?? cgroupParentOf(options.folder), clock);
  // Monitors and commands end by themselves with their containers, but not if they were stopped.
  for (const leftover of processesOf(folders.root)) signalProcess(leftover, "SIGKILL");
  if (killed !== undefined) await keepEnds(folders, { killed, clock });
  for (const id of await folders.ids()) {
    const args = ["--root", folders.runc, "delete", "--force", id];
    const { exitCode, stderr } = await runProgram(options.programs.runc, args, { clock, mayFail: true });
    if (exitCode !== 0 && !stderr.includes("does not exist")) {
      logger.warn("runc could not delete a container", { container: id, said: stderr.trim() });
    }
  }
  await killCgroup(options.cgroupParent ?? cgroupParentOf(options.folder), clock);
  for (const folder of [folders.containers, folders.exits, folders.sockets, folders.execs, folders.runc]) {
    await removeTree(folder);
  }
}
