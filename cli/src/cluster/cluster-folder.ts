import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

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
  /** The containers of the node, while they are. */
  readonly containers: string;
  readonly network: string;
  /** The data of persistent volumes. */
  readonly volumes: string;
}

const usual = ".kedge";

/** What to add to a command that is to mean the same cluster. */
export function dirOption(dir = usual): string {
  return dir === usual ? "" : ` --dir ${dir}`;
}

/** The folder of `--dir`, `.kedge` in the working directory unless given. */
export function clusterFolder(dir = usual): ClusterFolder {
  const path = realPath(resolve(dir));
  return {
    path,
    kubeconfig: join(path, "kubeconfig"),
    settings: join(path, "cluster.json"),
    running: join(path, "running.json"),
    certificates: join(path, "certificates"),
    store: join(path, "store"),
    logs: join(path, "logs"),
    node: join(path, "node"),
    containers: join(path, "node", "containers"),
    network: join(path, "network"),
    volumes: join(path, "volumes"),
  };
}

/** All that a cluster leaves in its folder, for whoever wants it gone. */
export function partsOf(folder: ClusterFolder): readonly string[] {
  const parts: readonly string[] = Object.values(folder);
  return parts.filter((part) => part !== folder.path);
}

/** Without symbolic links, of which the kernel's table of mounts knows nothing. What does not exist is no link. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path));
  }
}
