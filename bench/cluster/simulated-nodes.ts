/**
 * Many simulated nodes in one process, as `kedge up --runtime simulated` runs them. Told the kubeconfig and how many
 * there are; ends with its parent.
 */
import { connect, loadKubeconfig } from "@kedge/client";
import { realClock as clock, realRandom as random, silentLogger as logger } from "@kedge/machinery";
import { createSimulatedNodes } from "@kedge/node";
import { createAuthority } from "@kedge/pki";

const [kubeconfig = "", count = "1"] = process.argv.slice(2);
const config = await loadKubeconfig({ env: {}, clock, path: kubeconfig });
const client = connect(config, { clock, random, userAgent: "kubelet/bench", dropManagedFields: true });
// Nobody asks these nodes for anything, so whom they trust does not matter.
const authority = await createAuthority({ name: "nodes", clock, random });
const serving = await authority.issueServing({ name: "nodes", hosts: ["127.0.0.1"] });
const nodes = createSimulatedNodes({
  client,
  clock,
  random,
  logger,
  nodes: Array.from({ length: Number(count) }, (_, index) => ({
    name: `node-${index}`,
    podCIDR: `240.0.${index}.0/24`,
  })),
  api: {
    host: "127.0.0.1",
    serving,
    clientAuthority: authority.certificate,
    clientName: "kubelet-client",
  },
});
const stopping = new AbortController();
const ready = Promise.withResolvers<void>();
const running = nodes.run(stopping.signal, ready.resolve);
await Promise.race([ready.promise, running]);
process.send?.({ kubeconfig, pids: [process.pid] });
process.once("disconnect", () => {
  stopping.abort();
  void (async () => {
    await Promise.allSettled([running]);
    await client.close();
  })();
});
