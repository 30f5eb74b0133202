import { rm, rmdir } from "node:fs/promises";
import { realClock, silentLogger } from "@kedge/machinery";
import { cleanUpCluster } from "../../cluster/clean-up.ts";
import { clusterFolder, dirOption, partsOf, type ClusterFolder } from "../../cluster/cluster-folder.ts";
import { hasCluster, loadSettings } from "../../cluster/cluster-settings.ts";
import { forgetRunning, runningProcesses, signalAll, waitForEnd } from "../../cluster/running-processes.ts";
import { wrongMachine } from "../../cluster/wrong-machine.ts";
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
  if (!(await hasCluster(folder)))
    return new Error(
      `there is no cluster in ${folder.path}. ${again} makes one; --dir names another folder.`,
    );
  const wrong = wrongMachine("down");
  if (wrong !== undefined) return wrong;
  const terminal = terminalOn(context.process, clock);
  const running = await runningProcesses(folder);
  const supervisor = running.filter(({ role }) => role === "supervisor");
  terminal.waitFor("stopping the cluster");
  try {
    signalAll(supervisor, "SIGTERM");
    const left = await waitForEnd(supervisor, { clock, patience });
    const settings = await loadSettings(folder);
    await cleanUpCluster({ folder, settings, clock, logger: silentLogger, env: context.process.env });
    await forgetRunning(folder);
    if (flags.purge) await purge(folder);
    if (left.length > 0) terminal.print(`It did not stop within ${patience / 1000} s and was killed.\n`);
  } finally {
    terminal.clear();
  }
  const was = running.length === 0 ? "No cluster was running." : "Stopped.";
  const data = flags.purge
    ? "Its data is deleted."
    : `Its data is in ${folder.path}; ${again} goes on with it.`;
  terminal.print(`${was} ${data}\n`);
}

async function purge(folder: ClusterFolder): Promise<void> {
  for (const part of partsOf(folder)) await rm(part, { recursive: true, force: true });
  // Other things in the folder are not ours.
  await rmdir(folder.path).catch(() => undefined);
}
