import { rmdir } from "node:fs/promises";
import { realClock, silentLogger } from "@kedge/machinery";
import { removeTree } from "@kedge/network/remove-tree";
import { cleanUpCluster } from "../../cluster/clean-up.ts";
import { clusterFolder, dirOption, partsOf, type ClusterFolder } from "../../cluster/cluster-folder.ts";
import { hasCluster, settingsForStop } from "../../cluster/cluster-settings.ts";
import { folderProblem } from "../../cluster/folder-problem.ts";
import { lockOwner } from "../../cluster/folder-lock.ts";
import { runtimeOf, wrongMachine } from "../../cluster/pod-runtime.ts";
import { forgetRunning, runningProcesses } from "../../cluster/running-processes.ts";
import { takeForStop } from "../../cluster/take-folder.ts";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";

/** The flags of `kedge down`. */
export interface DownFlags {
  readonly dir: string;
  readonly purge: boolean;
}

/** Longer than pods usually get to stop. */
const patience = 120_000;

/** Stops the cluster gracefully, then makes sure that nothing is left. */
export async function runDown(context: KedgeContext, flags: DownFlags): Promise<Error | void> {
  const clock = realClock;
  const folder = clusterFolder(flags.dir);
  const again = `\`kedge up${dirOption(flags.dir)}\``;
  if (!(await hasCluster(folder)) && lockOwner(folder) === undefined)
    return new Error(
      `there is no cluster in ${folder.path}. ${again} makes one; --dir names another folder.`,
    );
  const wrong = wrongMachine("down", await runtimeOf(folder));
  if (wrong !== undefined) return wrong;
  const terminal = terminalOn(context.process, clock);
  terminal.waitFor("stopping the cluster");
  let was = false;
  try {
    const stopped = await takeForStop(folder, { clock, patience });
    was = stopped.was || (await runningProcesses(folder)).length > 0;
    // A start that was stopped early has not made a cluster yet, nor anything else outside of the folder.
    if (await hasCluster(folder)) {
      const settings = await settingsForStop(folder);
      await cleanUpCluster({ folder, settings, clock, logger: silentLogger, env: context.process.env });
    }
    await forgetRunning(folder);
    if (flags.purge) await purge(folder);
    if (stopped.killed) terminal.print(`It did not stop within ${patience / 1000} s and was killed.\n`);
  } catch (error) {
    throw folderProblem(error, folder);
  } finally {
    terminal.clear();
  }
  const data = flags.purge
    ? "Its data is deleted."
    : `Its data is in ${folder.path}; ${again} goes on with it.`;
  terminal.print(`${was ? "Stopped." : "No cluster was running."} ${data}\n`);
}

async function purge(folder: ClusterFolder): Promise<void> {
  const parts = partsOf(folder).filter((part) => part !== folder.lock);
  // What a write that was cut off has left.
  const halves = parts.map((part) => `${part}.new`);
  // The lock last: from then on the folder may be somebody else's.
  for (const part of [...parts, ...halves, folder.lock]) await removeTree(part);
  // Other things in the folder are not ours.
  await rmdir(folder.path).catch(() => undefined);
}
