import { clusterFolder, dirOption, type ClusterFolder } from "../../cluster/cluster-folder.ts";
import { hasCluster, loadSettings, type ClusterSettings } from "../../cluster/cluster-settings.ts";
import { lockOwner, runningRole } from "../../cluster/folder-lock.ts";
import { nodeRole } from "../../cluster/launch-part.ts";
import type { NodeSettings } from "../../cluster/node-settings.ts";
import { runtimeOf, wrongMachine } from "../../cluster/pod-runtime.ts";
import { runningProcesses, type RunningProcess } from "../../cluster/running-processes.ts";

/** A node of a cluster that runs, whether the node does or not. */
export interface NodeOfCluster {
  readonly folder: ClusterFolder;
  readonly settings: ClusterSettings;
  readonly node: NodeSettings;
}

/** Finds a node; an error when the cluster does not run, is being started, or has no such node. */
export async function nodeOfCluster(dir: string, name: string): Promise<NodeOfCluster | Error> {
  const folder = clusterFolder(dir);
  const wrong = wrongMachine("node", await runtimeOf(folder));
  if (wrong !== undefined) return wrong;
  const where = dirOption(dir);
  if (!(await hasCluster(folder)) || (await processOf(folder, "supervisor")) === undefined)
    return new Error(`no cluster runs in ${folder.path}. \`kedge up${where}\` starts one.`);
  if (lockOwner(folder)?.role !== runningRole)
    return new Error(
      `the cluster in ${folder.path} is being started or stopped. \`kedge status${where}\` shows it.`,
    );
  const settings = await loadSettings(folder);
  const node = settings.nodes.find((one) => one.name === name);
  if (node !== undefined) return { folder, settings, node };
  const names = settings.nodes.map((one) => one.name).join(", ");
  return new Error(`the cluster has no node ${JSON.stringify(name)}. Its nodes: ${names}`);
}

/** The process of a node's agent; undefined when it does not run. */
export async function agentOf({ folder, node }: NodeOfCluster): Promise<RunningProcess | undefined> {
  return await processOf(folder, nodeRole(node.name));
}

async function processOf(folder: ClusterFolder, role: string): Promise<RunningProcess | undefined> {
  return (await runningProcesses(folder)).find((one) => one.role === role);
}
