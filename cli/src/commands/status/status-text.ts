import type { ClusterStatus, NodeState } from "./cluster-status.ts";

/** A cluster's status for people. `where` is what tells a command which cluster is meant. */
export function statusText(status: ClusterStatus, where: string): string {
  if (!status.running) return `No cluster runs in ${status.folder}. \`kedge up${where}\` starts one.\n`;
  const lines = [`Cluster in ${status.folder}: ${stateOf(status)}`];
  lines.push(`  processes   ${status.processes.map(({ role, pid }) => `${role} ${pid}`).join(", ")}`);
  for (const { role, restarts, at, why } of status.troubles) {
    const times = restarts === 1 ? "once" : `${restarts} times`;
    lines.push(`  restarted   ${role} ${times}, last at ${at}: it ${why}`);
  }
  if (status.problem !== undefined) lines.push(`  API server  ${status.problem}`);
  if (status.cluster !== undefined) {
    const { nodes, pods, redisInstances, applications } = status.cluster;
    const states = nodes.map((node) => `${node.name} ${stateOfNode(node)}`);
    lines.push(`  nodes       ${states.join(", ") || "none"}`);
    lines.push(`  pods        ${pods.ready} of ${pods.all} ready`);
    for (const { name, status: phase, ready } of redisInstances)
      lines.push(`  redis       ${name} ${phase} ${ready}`.trimEnd());
    for (const { name, phase } of applications) lines.push(`  application ${name} ${phase}`);
  }
  lines.push(`  kubectl     export KUBECONFIG=${status.kubeconfig}`);
  return `${lines.join("\n")}\n`;
}

function stateOfNode({ ready, stopped }: NodeState): string {
  if (stopped) return "stopped";
  return ready ? "Ready" : "NotReady";
}

function stateOf({ starting, ready }: ClusterStatus): string {
  if (starting) return "being started";
  return ready ? "ready" : "not ready";
}
