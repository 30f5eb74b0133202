/**
 * A node agent in a process of its own whose containers are simulated. Told where its API server is; answers each
 * message with its usage so far, and ends with its parent.
 */
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
import { countRequests } from "./count-requests.ts";
import type { ServerPlace } from "./server-place.ts";

const { kubeconfig, folder, serving, clientAuthority } = JSON.parse(process.argv[2] ?? "{}") as ServerPlace;
const config = await loadKubeconfig({ env: {}, clock, path: kubeconfig });
const { transport, counts } = countRequests(new NetworkTransport(config, { clock }));
const agent = createNodeAgent({
  client: new Client(transport, { clock, random, userAgent: "kubelet/bench", dropManagedFields: true }),
  clock,
  random,
  nodeName: "node-1",
  address: "127.0.0.1",
  folder: join(folder, "node"),
  runtime: createSimulatedRuntime({ clock }),
  images: simulatedImages,
  network: createSimulatedNetwork(),
  mounts: plainFolders,
  prober: simulatedProber,
  capacity: { cpu: "100000", memory: "100000Gi", pods: 100_000 },
  dns: { address: "127.0.0.1", domain: "cluster.local" },
  api: { host: "127.0.0.1", port: 0, serving, clientAuthority, clientName: "kubelet-client" },
});
const stopping = new AbortController();
const running = agent.run(stopping.signal);
await agent.ready();
process.on("message", () => {
  process.send?.({
    cpu: process.cpuUsage(),
    rss: process.memoryUsage.rss(),
    requests: { kubelet: Object.fromEntries(counts) },
  });
});
process.send?.({});
process.once("disconnect", () => {
  stopping.abort();
  void running.then(() => transport.close());
});
