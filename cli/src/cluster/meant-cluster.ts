import { clusterFolder, dirOption, type ClusterFolder } from "./cluster-folder.ts";
import { hasCluster } from "./cluster-settings.ts";
import { runningProcesses } from "./running-processes.ts";

/** What the flags of a command say about the cluster. */
export interface AnyClusterFlags {
  readonly dir?: string;
  readonly kubeconfig?: string;
}

/** The cluster that a command means. */
export interface MeantCluster {
  /** How to reach it; undefined: as kubectl would. */
  readonly kubeconfig: string | undefined;
  /** What runs of it; undefined when it is not one of this machine's. */
  readonly embedded: EmbeddedCluster | undefined;
}

/** A cluster of this machine that runs. */
export interface EmbeddedCluster {
  readonly folder: ClusterFolder;
  /** Of its processes. */
  readonly roles: readonly string[];
}

/** `--kubeconfig`, or the embedded cluster of `--dir` or the usual folder, or else the user's own; an error when it does not run. */
export async function meantCluster({ dir, kubeconfig }: AnyClusterFlags): Promise<MeantCluster | Error> {
  if (dir !== undefined && kubeconfig !== undefined)
    return new Error("--dir and --kubeconfig name two clusters: give one of them.");
  const folder = clusterFolder(dir);
  if (kubeconfig !== undefined || (dir === undefined && !(await hasCluster(folder))))
    return { kubeconfig, embedded: undefined };
  const roles = (await runningProcesses(folder)).map(({ role }) => role);
  if (roles.length > 0) return { kubeconfig: folder.kubeconfig, embedded: { folder, roles } };
  return new Error(`no cluster runs in ${folder.path}. \`kedge up${dirOption(dir)}\` starts it.`);
}
