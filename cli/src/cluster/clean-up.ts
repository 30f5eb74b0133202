import type { Clock, Logger } from "@kedge/machinery";
import { clearMachine } from "./clear-machine.ts";
import type { ClusterFolder } from "./cluster-folder.ts";
import { hasCluster, isSimulated, type ClusterSettings } from "./cluster-settings.ts";
import { machinePrograms } from "./machine-programs.ts";
import { hasNamespaces, machineNetworkOf } from "./node-network.ts";
import { endPartPrograms } from "./part-programs.ts";
import { runningProcesses, signalAll, waitForEnd } from "./running-processes.ts";

/** What cleaning up takes. */
export interface CleanUpClusterOptions {
  readonly folder: ClusterFolder;
  readonly settings: ClusterSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Parts whose supervisor is gone stop by themselves, and their containers with them. */
const patience = 15_000;

/** Ends and removes all that a cluster has on this machine but this very process and its parent. Its data stays. */
export async function cleanUpCluster(options: CleanUpClusterOptions): Promise<void> {
  const { folder, clock } = options;
  const others = (await runningProcesses(folder)).filter(
    ({ pid }) => pid !== process.pid && pid !== process.ppid,
  );
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    signalAll(others, signal);
    await waitForEnd(others, { clock, patience });
  }
  await endPartPrograms(folder, { clock });
  // A folder that never held a cluster has nothing running: no programs need to be fetched for it.
  if (!(await hasCluster(folder))) return;
  const { settings } = options;
  if (isSimulated(settings)) return;
  const machine = await machinePrograms(options);
  for (const node of settings.nodes) await clearMachine({ ...options, node, machine });
  if (hasNamespaces(settings)) await machineNetworkOf(settings, { ...machine, clock }).remove();
}
