import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { realClock, realRandom } from "@kedge/machinery";
import { clusterNames, createNetworkPolicies, createServiceProxy, startDnsServer } from "@kedge/network";
import {
  addVolumeProvisioner,
  createImageStore,
  createNodeAgent,
  createRuncRuntime,
  createNodeMounts,
  createVolumeFolders,
} from "@kedge/node";
import { createInformers, createLogger, createManager } from "@kedge/runtime";
import { readNodeCertificates, userToNodes } from "../cluster/certificates.ts";
import { clearMachine } from "../cluster/clear-machine.ts";
import { clusterFolder } from "../cluster/cluster-folder.ts";
import { loadSettings, nodeNamed } from "../cluster/cluster-settings.ts";
import { kubeconfigOf, type KubeconfigUser } from "../cluster/kubeconfigs.ts";
import { machinePrograms } from "../cluster/machine-programs.ts";
import { nodeFolder } from "../cluster/node-folder.ts";
import { nodeAddress } from "../cluster/node-settings.ts";
import { hasNamespaces, nodeNetwork, nodePodNetwork, serverForNodes } from "../cluster/node-network.ts";
import { untilListening } from "../cluster/until-listening.ts";
import { runPart, type RunningPart } from "./part.ts";

// A node: the agent that runs pods, the service proxy and DNS. Started by `kedge up` with the folder and the name.
const clock = realClock;
const random = realRandom;
const [, , dir, name = ""] = process.argv;
const folder = clusterFolder(dir);
const logger = createLogger({ clock, level: "info" });

// The machine is not the cluster's alone: a disk that is nine tenths full is no reason to evict pods, one that is full is.
const thresholds = {
  "memory.available": "100Mi",
  "nodefs.available": "512Mi",
  "nodefs.inodesFree": "1%",
  "pid.available": "1%",
};

await runPart({ clock, logger, start });

async function start(onProgress: (what: string) => void): Promise<RunningPart> {
  const settings = await loadSettings(folder);
  const { env } = process;
  const node = nodeNamed(settings, name);
  const { agent: agentFolder, containers, volumes } = nodeFolder(folder, node);
  const machine = await machinePrograms({ clock, logger, env });
  const { packages, programs, commands } = machine;
  const network = nodePodNetwork({ folder, settings, node, commands, clock, logger });
  const { authority, serving } = await readNodeCertificates(folder, name);
  const clientOf = async (user: KubeconfigUser, userAgent: string): Promise<Client> => {
    const config = await loadKubeconfig({ env: {}, clock, path: kubeconfigOf(folder, user) });
    return connect(config, { clock, random, logger, userAgent, dropManagedFields: true });
  };
  const client = await clientOf({ node: name }, "kubelet/kedge");
  // An agent may see and write what is of its own node only; what runs beside it needs more.
  const services = await clientOf({ servicesOf: name }, "node-services/kedge");
  const runtime = await createRuncRuntime({ folder: containers, programs, clock, logger });
  const stopping = new AbortController();
  const { signal } = stopping;

  await network.start();
  const informers = createInformers({ client: services, clock, random, logger });
  const resolvers = settings.nodes.map(nodeAddress).filter((address) => address !== network.gateway);
  const rules = {
    network: nodeNetwork(settings, node),
    nodeName: name,
    informers,
    commands,
    clock,
    logger,
  };
  const proxy = createServiceProxy(rules);
  const policies = createNetworkPolicies({ ...rules, resolvers });
  const dns = await startDnsServer({
    address: network.gateway,
    domain: settings.domain,
    names: clusterNames(informers),
    clock,
    random,
    logger,
    loopback: !hasNamespaces(settings),
  });
  const mounts = createNodeMounts({ folder: agentFolder, clock });
  const agent = createNodeAgent({
    mounts,
    client,
    nodeName: name,
    podCIDR: node.podCIDR,
    // Reached from this machine and from its pods, from nowhere else.
    address: network.gateway,
    folder: agentFolder,
    clock,
    random,
    logger,
    runtime,
    images: createImageStore({ cache: packages, clock, logger, aliases: settings.imageAliases ?? {} }),
    network: policies.guarding(network),
    dns: { address: network.gateway, others: resolvers, domain: settings.domain },
    eviction: { thresholds },
    api: {
      host: network.gateway,
      // As with Kubernetes, where it is free for sure.
      port: hasNamespaces(settings) ? 10_250 : 0,
      serving,
      clientAuthority: authority,
      clientName: userToNodes,
    },
  });
  const provisioner = createManager({
    client: services,
    clock,
    random,
    logger,
    logWrites: "debug",
    name: "local-path",
    metrics: "none",
  });
  addVolumeProvisioner(provisioner, {
    nodeNames: [name],
    folders: createVolumeFolders(volumes, clock, mounts),
  });
  // It is started beside this one. Whoever came too early would ask again after a second or two only.
  const host = serverForNodes(settings);
  await untilListening(settings.port, {
    host,
    clock,
    onWait: () => onProgress("waiting for the API server"),
  });
  const work = [
    informers.run(signal),
    proxy.run(signal),
    policies.run(signal),
    agent.run(signal),
    provisioner.run(signal),
  ];
  await Promise.race([Promise.all([agent.ready(), provisioner.ready()]), ...work]);
  return {
    work,
    async stop() {
      stopping.abort();
      await Promise.allSettled(work);
      await dns.close();
      await runtime.close();
      await Promise.all([client.close(), services.close()]);
      await clearMachine({ folder, settings, node, clock, logger, machine });
    },
  };
}
