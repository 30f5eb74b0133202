import { connect, loadKubeconfig } from "@kedge/client";
import { realClock, realRandom } from "@kedge/machinery";
import { clusterNames, createServiceProxy, startDnsServer } from "@kedge/network";
import { createImageStore, createNodeAgent, createRuncRuntime } from "@kedge/node";
import { createInformers, createLogger } from "@kedge/runtime";
import { kubeconfigOf, readCertificates, userToNodes } from "../cluster/certificates.ts";
import { clusterFolder } from "../cluster/cluster-folder.ts";
import { loadSettings } from "../cluster/cluster-settings.ts";
import { clearMachine } from "./clear-machine.ts";
import { imageAliases } from "./image-aliases.ts";
import { nodeParts } from "./node-parts.ts";
import { runPart, type RunningPart } from "./part.ts";

// A node: the agent that runs pods, the service proxy and DNS. Started by `kedge up` with the folder.
const clock = realClock;
const random = realRandom;
const folder = clusterFolder(process.argv[2]);
const logger = createLogger({ clock, level: "info" });

await runPart({ clock, logger, start });

async function start(): Promise<RunningPart> {
  const settings = await loadSettings(folder);
  const { env } = process;
  const parts = await nodeParts({ folder, settings, clock, logger, env });
  const { packages, programs, commands, network } = parts;
  const certificates = await readCertificates(folder);
  const config = await loadKubeconfig({ env: {}, clock, path: kubeconfigOf(folder, "node") });
  const client = connect(config, { clock, random, logger, userAgent: "kubelet/kedge" });
  const runtime = await createRuncRuntime({ folder: folder.containers, programs, clock, logger });
  const stopping = new AbortController();
  const { signal } = stopping;

  await network.start();
  const informers = createInformers({ client, clock, random, logger });
  const proxy = createServiceProxy({ network: settings, informers, commands, clock, logger });
  const dns = await startDnsServer({
    address: network.gateway,
    domain: settings.domain,
    names: clusterNames(informers),
    clock,
    random,
    logger,
  });
  const agent = createNodeAgent({
    client,
    nodeName: settings.nodeName,
    // Reached from this machine and from its pods, from nowhere else.
    address: network.gateway,
    folder: folder.node,
    clock,
    random,
    logger,
    runtime,
    images: createImageStore({ cache: packages, clock, logger, aliases: imageAliases(env) }),
    network,
    dns: { address: network.gateway, domain: settings.domain },
    api: {
      host: network.gateway,
      port: 0,
      serving: certificates.node,
      clientAuthority: certificates.authority,
      clientName: userToNodes,
    },
  });
  const work = [informers.run(signal), proxy.run(signal), agent.run(signal)];
  await Promise.race([agent.ready(), Promise.race(work)]);
  return {
    work,
    async stop() {
      stopping.abort();
      await Promise.allSettled(work);
      await dns.close();
      await runtime.close();
      await client.close();
      await clearMachine({ folder, clock, logger, parts });
    },
  };
}
