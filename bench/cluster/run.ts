/**
 * How fast simulated pods come up on 100 simulated nodes: ten Deployments, from their creation until all pods are Ready.
 * Ours (durable store, API server, controllers and scheduler, in one process) against etcd, which syncs too,
 * kube-apiserver, kube-controller-manager and kube-scheduler, their clients without rate limits; in the same run, with
 * the same nodes: our agents in one process, over HTTPS, with simulated containers.
 *
 * `--short` measures 1,000 pods only, else 10,000, too; `--ours` leaves out the peer.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { realClock as clock } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { startServer, type ServerProcess } from "../server-process.ts";
import { FollowedPods } from "./follow-pods.ts";

const { values: flags } = parseArgs({
  options: { short: { type: "boolean", default: false }, ours: { type: "boolean", default: false } },
});
const sizes = flags.short ? [1000] : [1000, 10_000];
const nodeCount = 100;
const deployments = 10;
const unlimited = { "kube-api-qps": "10000", "kube-api-burst": "10000" };
const peerOptions = {
  controllerManager: true,
  scheduler: true,
  flags: {
    etcd: { "unsafe-no-fsync": "false" },
    "kube-controller-manager": unlimited,
    "kube-scheduler": unlimited,
  },
};
const ours = { name: "kedge", program: "cluster/control-plane.ts", args: [] };
const peer = {
  name: "Kubernetes",
  program: "../e2e/real/serve-oracle.ts",
  args: [JSON.stringify(peerOptions)],
};
const titles = [
  "pods",
  "up s",
  "pods/s",
  "gone s",
  "writes/pod",
  "server ms",
  "nodes ms",
  "server MiB",
  "idle",
];

process.stdout.write(
  `${nodeCount} simulated nodes, ${deployments} Deployments, 1 container each; CPU ms for each pod; load ${(loadavg()[0] ?? 0).toFixed(1)} at the start\n`,
);
process.stdout.write(row("", titles));
for (const { name, program, args } of flags.ours ? [ours] : [peer, ours]) {
  await using server = await startServer(program, args);
  await using nodes = await startServer("cluster/simulated-nodes.ts", [server.kubeconfig, String(nodeCount)]);
  const client = connect(await loadKubeconfig({ env: {}, clock, path: server.kubeconfig }), { clock });
  // The first pods pay for code that is compiled while it runs, on either side.
  await measure({ client, server, nodes }, 200);
  const idle = server.memory();
  for (const size of sizes) {
    const cells = await measure({ client, server, nodes }, size);
    process.stdout.write(row(name, [...cells, idle.toFixed(0)]));
  }
  await client.close();
}

interface Cluster {
  readonly client: Client;
  readonly server: ServerProcess;
  readonly nodes: ServerProcess;
}

async function measure({ client, server, nodes }: Cluster, size: number): Promise<readonly string[]> {
  using pods = new FollowedPods(client, "default");
  await pods.following;
  const revision = await revisionOf(client);
  const [serverBefore, nodesBefore] = [server.cpu(), nodes.cpu()];
  const began = clock.monotonic();
  for (let index = 0; index < deployments; index++)
    await createDeployment(client, `web-${index}`, size / deployments);
  await pods.until(({ ready }) => ready === size);
  const up = (clock.monotonic() - began) / 1000;
  await untilQuiet(client);
  const writes = (await revisionOf(client)) - revision;
  const [serverMs, nodesMs] = [server.cpu() - serverBefore, nodes.cpu() - nodesBefore];
  const memory = server.memory();
  const ends = clock.monotonic();
  for (let index = 0; index < deployments; index++)
    await client
      .of(Deployment)
      .delete({ namespace: "default", name: `web-${index}` }, { propagation: "Background" });
  await pods.until(({ all }) => all === 0);
  const gone = (clock.monotonic() - ends) / 1000;
  return [
    String(size),
    up.toFixed(1),
    (size / up).toFixed(0),
    gone.toFixed(1),
    (writes / size).toFixed(1),
    (serverMs / size).toFixed(1),
    (nodesMs / size).toFixed(1),
    memory.toFixed(0),
  ];
}

/** Events are written behind the pods: they belong to what a pod costs. Leases of nodes go on for ever. */
async function untilQuiet(client: Client): Promise<void> {
  const leases = nodeCount / 10;
  for (let last = 0, now = await revisionOf(client); now - last > 2 * leases + 5;) {
    await clock.sleep(1000);
    last = now;
    now = await revisionOf(client);
  }
}

/** How many writes there were so far: the revision of the store. */
async function revisionOf(client: Client): Promise<number> {
  const { metadata } = await client.of(Deployment).list({ namespace: "default" }).all();
  return Number(metadata.resourceVersion);
}

async function createDeployment(client: Client, name: string, replicas: number): Promise<void> {
  const labels = { app: name };
  await client.of(Deployment).create({
    metadata: { namespace: "default", name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 0,
          containers: [
            { name: "main", image: "app:1", resources: { requests: { cpu: "10m", memory: "16Mi" } } },
          ],
        },
      },
    },
  });
}

function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(12)}${cells.map((cell) => cell.padStart(11)).join("")}\n`;
}
