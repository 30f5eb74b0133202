/**
 * Many node agents in one process, each with its own connection; their containers are simulated. Told the kubeconfig
 * and how many there are; ends with its parent.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, loadKubeconfig, NetworkTransport } from "@kedge/client";
import { realClock as clock, realRandom as random } from "@kedge/machinery";
import {
  createNodeAgent,
  createSimulatedNetwork,
  createSimulatedRuntime,
  plainFolders,
  simulatedImages,
  simulatedProber,
} from "@kedge/node";
import { createAuthority } from "@kedge/pki";

const [kubeconfig = "", count = "1"] = process.argv.slice(2);
const config = await loadKubeconfig({ env: {}, clock, path: kubeconfig });
// Nobody asks these nodes for anything, so whom they trust does not matter.
const authority = await createAuthority({ name: "nodes", clock, random });
const serving = await authority.issueServing({ name: "nodes", hosts: ["127.0.0.1"] });
const folder = mkdtempSync(join(tmpdir(), "kedge-bench-nodes-"));
const stopping = new AbortController();
const nodes = Array.from({ length: Number(count) }, (_, index) => startNode(`node-${index}`));
await Promise.all(nodes.map(({ agent }) => agent.ready()));
process.send?.({ kubeconfig, pids: [process.pid] });
process.once("disconnect", () => {
  stopping.abort();
  void (async () => {
    await Promise.allSettled(nodes.map(({ running }) => running));
    for (const { transport } of nodes) await transport.close();
    rmSync(folder, { recursive: true, force: true });
  })();
});

function startNode(nodeName: string) {
  const transport = new NetworkTransport(config, { clock });
  const agent = createNodeAgent({
    client: new Client(transport, { clock, random, userAgent: "kubelet/bench", dropManagedFields: true }),
    clock,
    random,
    nodeName,
    address: "127.0.0.1",
    folder: join(folder, nodeName),
    runtime: createSimulatedRuntime({ clock }),
    images: simulatedImages,
    network: createSimulatedNetwork(),
    mounts: plainFolders,
    prober: simulatedProber,
    capacity: { cpu: "1000", memory: "1000Gi", pods: 250 },
    dns: { address: "127.0.0.1", domain: "cluster.local" },
    api: {
      host: "127.0.0.1",
      port: 0,
      serving,
      clientAuthority: authority.certificate,
      clientName: "kubelet-client",
    },
  });
  return { transport, agent, running: agent.run(stopping.signal) };
}
