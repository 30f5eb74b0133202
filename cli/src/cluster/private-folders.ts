import { chmod, mkdir } from "node:fs/promises";
import type { ClusterFolder } from "./cluster-folder.ts";

/**
 * Closes what pods write to and read from to other users of this machine: volumes are open to every user of a
 * container. The folder around them may be one that somebody else made, for more than us.
 */
export async function makePrivate(folder: ClusterFolder): Promise<void> {
  for (const path of [folder.node, folder.volumes, folder.network, folder.logs]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
  }
}
