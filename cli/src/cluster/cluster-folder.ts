import { join, resolve } from "node:path";

/** Where a cluster keeps what it has. Everything is below one folder, and only what is named here. */
export interface ClusterFolder {
  readonly path: string;
  /** For users: kubectl works with it. */
  readonly kubeconfig: string;
  /** What stays the same from start to start. */
  readonly settings: string;
  /** Which processes run. Gone when none does. */
  readonly running: string;
  readonly certificates: string;
  readonly store: string;
  readonly logs: string;
  readonly node: string;
  readonly network: string;
  /** The data of persistent volumes. */
  readonly volumes: string;
}

/** The folder of `--dir`, `.kedge` in the working directory unless given. */
export function clusterFolder(dir = ".kedge"): ClusterFolder {
  const path = resolve(dir);
  return {
    path,
    kubeconfig: join(path, "kubeconfig"),
    settings: join(path, "cluster.json"),
    running: join(path, "running.json"),
    certificates: join(path, "certificates"),
    store: join(path, "store"),
    logs: join(path, "logs"),
    node: join(path, "node"),
    network: join(path, "network"),
    volumes: join(path, "volumes"),
  };
}

/** All that a cluster leaves in its folder, for whoever wants it gone. */
export function partsOf(folder: ClusterFolder): readonly string[] {
  const parts: readonly string[] = Object.values(folder);
  return parts.filter((part) => part !== folder.path);
}
