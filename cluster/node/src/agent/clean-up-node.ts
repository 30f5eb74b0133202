import { rm } from "node:fs/promises";
import type { PodNetwork } from "@kedge/network";
import { podsFolder } from "../pod/pod-folder.ts";
import type { ContainerRuntime } from "../runtime/types.ts";
import type { MemoryFolders } from "../volumes/memory-folders.ts";

/** What of a node is cleaned up. Its agent must not be running. */
export interface CleanUpNodeOptions {
  /** The agent's folder. */
  readonly folder: string;
  readonly runtime: ContainerRuntime;
  readonly network: PodNetwork;
  readonly memory: MemoryFolders;
  /** Also removes pods' volumes and logs. Default: they stay, as after a reboot, and the pods go on with them. */
  readonly purge?: boolean;
}

/** Ends every container of a node and takes away its networks and mounts, whatever state its agent left them in. */
export async function cleanUpNode(options: CleanUpNodeOptions): Promise<void> {
  const { runtime, network, memory } = options;
  const pods = podsFolder(options.folder);
  const containers = await runtime.list();
  await Promise.all(containers.map(({ id }) => runtime.remove(id)));
  await memory.removeBelow(pods);
  await network.remove();
  if (options.purge === true) await rm(pods, { recursive: true, force: true });
}
