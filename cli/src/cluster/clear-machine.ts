import type { Clock, Logger } from "@kedge/machinery";
import { cleanUp, createNodeMounts, createRuncRuntime } from "@kedge/node";
import { existsSync } from "node:fs";
import type { ClusterFolder } from "./cluster-folder.ts";
import type { ClusterSettings } from "./cluster-settings.ts";
import type { MachinePrograms } from "./machine-programs.ts";
import { nodeFolder } from "./node-folder.ts";
import { nodePodNetwork } from "./node-network.ts";
import type { NodeSettings } from "./node-settings.ts";
import { stopContainers } from "./stop-containers.ts";

/** What clearing takes. */
export interface ClearMachineOptions {
  readonly folder: ClusterFolder;
  readonly settings: ClusterSettings;
  readonly node: NodeSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly machine: Pick<MachinePrograms, "programs" | "commands">;
  /** Whether containers are asked to end before they are killed. Default: they are. */
  readonly gently?: boolean;
}

/**
 * Ends the containers of a node, gently first, and takes its control groups, mounts and network from this machine,
 * whatever state a kill has left them in. Its agent must not be running. Its data stays.
 */
export async function clearMachine(options: ClearMachineOptions): Promise<void> {
  const { folder, node, clock, logger, machine } = options;
  const { programs, commands } = machine;
  const { agent, containers } = nodeFolder(folder, node);
  const runtimeOptions = { folder: containers, programs, clock, logger };
  if (options.gently !== false && existsSync(containers)) {
    const runtime = await createRuncRuntime(runtimeOptions);
    try {
      await stopContainers(runtime, clock);
    } finally {
      await runtime.close();
    }
  }
  await cleanUp({ ...runtimeOptions, keepEnds: options.gently !== false });
  await createNodeMounts({ folder: agent, clock }).removeBelow(folder.path);
  await nodePodNetwork({ ...options, commands }).remove();
}
