import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import type { ClusterFolder } from "../../cluster/cluster-folder.ts";
import { waitForLock, type FolderLock } from "../../cluster/folder-lock.ts";
import type { NodeSettings } from "../../cluster/node-settings.ts";

/** Longer than a stop and a start together. */
const patience = 120_000;

/**
 * Waits until no other command stops or starts this node: one would take the network away that the other gives. The lock
 * ends with the process at the latest.
 */
export async function takeNode(
  { folder, node }: { readonly folder: ClusterFolder; readonly node: Pick<NodeSettings, "name"> },
  command: string,
  clock: Clock,
): Promise<FolderLock | Error> {
  const path = join(folder.nodes, node.name);
  await mkdir(path, { recursive: true });
  using limit = clock.deadline(patience);
  const lock = await waitForLock({ ...folder, lock: join(path, "lock") }, command, limit.signal);
  return lock ?? new Error(`another command has been stopping or starting the node ${node.name} for minutes`);
}
