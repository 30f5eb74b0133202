import { chmod, mkdir } from "node:fs/promises";
import type { ClusterFolder } from "./cluster-folder.ts";
import { nodeFolder } from "./node-folder.ts";
import type { NodeSettings } from "./node-settings.ts";

/**
 * Closes what pods write to and read from to other users of this machine: volumes are open to every user of a
 * container. The folder around them may be one that somebody else made, for more than us.
 */
export async function makePrivate(folder: ClusterFolder, nodes: readonly NodeSettings[]): Promise<void> {
  for (const path of [folder.logs, ...nodes.flatMap((node) => foldersOf(folder, node))]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
  }
}

function foldersOf(cluster: ClusterFolder, node: NodeSettings): readonly string[] {
  const { agent, network, volumes } = nodeFolder(cluster, node);
  return [agent, network, volumes];
}
