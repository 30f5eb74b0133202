import { join } from "node:path";
import type { ClusterFolder } from "./cluster-folder.ts";
import type { NodeSettings } from "./node-settings.ts";

/** Where a node keeps what it has. */
export interface NodeFolder {
  /** Of the agent: pods, their logs and mounts. */
  readonly agent: string;
  /** Its containers, while they are. */
  readonly containers: string;
  /** Which pod has which address. */
  readonly network: string;
  /** The data of the persistent volumes that are on it. */
  readonly volumes: string;
}

/** The folders of a node of the cluster. */
export function nodeFolder(cluster: ClusterFolder, { folder }: Pick<NodeSettings, "folder">): NodeFolder {
  const path = join(cluster.path, folder);
  return {
    agent: join(path, "node"),
    containers: join(path, "node", "containers"),
    network: join(path, "network"),
    volumes: join(path, "volumes"),
  };
}
