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
  lines.push(`  store       ${status.store}`);
  if (status.problem !== undefined) lines.push(`  API server  ${status.problem}`);
  if (status.cluster !== undefined) {
    const { nodes, pods, redisInstances, applications } = status.cluster;
    lines.push(`  nodes       ${nodesText(nodes)}`);
    const simulated = nodes.some((node) => node.simulated) ? " (simulated: nothing runs in them)" : "";
    lines.push(`  pods        ${pods.ready} of ${pods.all} ready${simulated}`);
    for (const { name, status: phase, ready } of redisInstances)
      lines.push(`  redis       ${name} ${phase} ${ready}`.trimEnd());
    for (const { name, phase } of applications) lines.push(`  application ${name} ${phase}`);
  }
  lines.push(`  kubectl     export KUBECONFIG=${status.kubeconfig}`);
  return `${lines.join("\n")}\n`;
}

/** So many nodes are named; of more, only those that are not ready are, and of those not all. */
const mostNames = 10;

function nodesText(nodes: readonly NodeState[]): string {
  if (nodes.length === 0) return "none";
  const isFew = nodes.length <= mostNames;
  const named = isFew ? nodes : nodes.filter(({ ready }) => !ready);
  const states = named.slice(0, mostNames).map((node) => `${node.name} ${stateOfNode(node)}`);
  const count = `${nodes.filter(({ ready }) => ready).length} of ${nodes.length} Ready`;
  const rest = named.length > mostNames ? [`${named.length - mostNames} more not`] : [];
  return (isFew ? states : [count, ...states, ...rest]).join(", ");
}

function stateOfNode({ ready, stopped }: NodeState): string {
  if (stopped) return "stopped";
  return ready ? "Ready" : "NotReady";
}

function stateOf({ starting, ready }: ClusterStatus): string {
  if (starting) return "being started";
  return ready ? "ready" : "not ready";
}
