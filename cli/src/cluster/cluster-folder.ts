import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Where a cluster keeps what it has. Everything is below one folder, and only what is named here. */
export interface ClusterFolder {
  readonly path: string;
  /** For users: kubectl works with it. */
  readonly kubeconfig: string;
  /** What stays the same from start to start. */
  readonly settings: string;
  /** The same once more: a cluster whose settings were damaged can be stopped by it. */
  readonly settingsCopy: string;
  /** Which processes run. Gone when none does. */
  readonly running: string;
  /** Locked by whoever starts, runs or stops the cluster. */
  readonly lock: string;
  readonly certificates: string;
  readonly store: string;
  readonly logs: string;
  /** What users asked of the API server, where a policy wants that told. */
  readonly audit: string;
  /** A folder for each node. */
  readonly nodes: string;
}

/** What the only node of a cluster had, before each got a folder of its own (`NodeSettings.folder` is "."). */
const formerly = ["node", "network", "volumes"];

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
    settingsCopy: join(path, "cluster.json.copy"),
    running: join(path, "running.json"),
    lock: join(path, "lock"),
    certificates: join(path, "certificates"),
    store: join(path, "store"),
    logs: join(path, "logs"),
    audit: join(path, "audit"),
    nodes: join(path, "nodes"),
  };
}

/** All that a cluster leaves in its folder, for whoever wants it gone. */
export function partsOf(folder: ClusterFolder): readonly string[] {
  const parts: readonly string[] = Object.values(folder);
  return [
    ...parts.filter((part) => part !== folder.path),
    ...formerly.map((name) => join(folder.path, name)),
  ];
}

/** Without symbolic links, of which the kernel's table of mounts knows nothing. They may lead to what is yet to be made. */
function realPath(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch {
    if (path === dirname(path)) return path;
    const real = join(realPath(dirname(path), links), basename(path));
    const target = links < mostLinks ? linkTarget(real) : undefined;
    return target === undefined ? real : realPath(resolve(dirname(real), target), links + 1);
  }
}

/** As many as the kernel follows. */
const mostLinks = 40;

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
