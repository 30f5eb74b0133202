import type { Clock, Logger } from "@kedge/machinery";
import { cleanUp, createNodeMounts, createRuncRuntime } from "@kedge/node";
import { existsSync } from "node:fs";
import type { ClusterFolder } from "../cluster/cluster-folder.ts";
import type { NodeParts } from "./node-parts.ts";
import { stopContainers } from "./stop-containers.ts";

/** What clearing takes. */
export interface ClearMachineOptions {
  readonly folder: ClusterFolder;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly parts: Pick<NodeParts, "programs" | "network">;
}

/**
 * Ends the containers of a cluster, gently first, and takes its control groups, mounts and network from this machine,
 * whatever state a kill has left them in. Its node must not be running. Its data stays.
 */
export async function clearMachine({ folder, clock, logger, parts }: ClearMachineOptions): Promise<void> {
  const { programs, network } = parts;
  const containers = { folder: folder.containers, programs, clock, logger };
  if (existsSync(folder.containers)) {
    const runtime = await createRuncRuntime(containers);
    try {
      await stopContainers(runtime, clock);
    } finally {
      await runtime.close();
    }
  }
  await cleanUp(containers);
  await createNodeMounts({ folder: folder.node, clock }).removeBelow(folder.path);
  await network.remove();
}
