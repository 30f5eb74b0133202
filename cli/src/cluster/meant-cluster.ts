import { clusterFolder, dirOption } from "./cluster-folder.ts";
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
  /** The roles of its processes; undefined when it is not one of this machine's. */
  readonly roles: readonly string[] | undefined;
}

/** `--kubeconfig`, or the embedded cluster of `--dir` or the usual folder, or else the user's own; an error when it does not run. */
export async function meantCluster({ dir, kubeconfig }: AnyClusterFlags): Promise<MeantCluster | Error> {
  if (dir !== undefined && kubeconfig !== undefined)
    return new Error("--dir and --kubeconfig name two clusters: give one of them.");
  const folder = clusterFolder(dir);
  if (kubeconfig !== undefined || (dir === undefined && !(await hasCluster(folder))))
    return { kubeconfig, roles: undefined };
  const roles = (await runningProcesses(folder)).map(({ role }) => role);
  if (roles.length > 0) return { kubeconfig: folder.kubeconfig, roles };
  return new Error(`no cluster runs in ${folder.path}. \`kedge up${dirOption(dir)}\` starts it.`);
}
