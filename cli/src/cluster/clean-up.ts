import type { Clock, Logger } from "@kedge/machinery";
import { cleanUp } from "@kedge/node";
import { join } from "node:path";
import { nodeParts } from "../parts/node-parts.ts";
import type { ClusterFolder } from "./cluster-folder.ts";
import { hasCluster, type ClusterSettings } from "./cluster-settings.ts";
import { forgetRunning, runningProcesses, signalAll, waitForEnd } from "./running-processes.ts";

/** What cleaning up takes. */
export interface CleanUpClusterOptions {
  readonly folder: ClusterFolder;
  readonly settings: ClusterSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const patience = 10_000;

/** Ends and removes all that a cluster has on this machine, whatever state a kill has left it in. Its data stays. */
export async function cleanUpCluster(options: CleanUpClusterOptions): Promise<void> {
  const { folder, clock, logger } = options;
  const processes = await runningProcesses(folder);
  signalAll(processes, "SIGKILL");
  await waitForEnd(processes, { clock, patience });
  // A folder that never held a cluster has nothing running: no programs need to be fetched for it.
  if (await hasCluster(folder)) {
    const { programs, network } = await nodeParts(options);
    await cleanUp({ folder: join(folder.node, "containers"), programs, clock, logger });
    await network.remove();
  }
  await forgetRunning(folder);
}
