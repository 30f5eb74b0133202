import { homedir } from "node:os";
import { join } from "node:path";
import { realClock as clock, realRandom as random, silentLogger } from "@kedge/machinery";
import {
  clusterNames,
  createCommands,
  createPodNetwork,
  createNetworkPolicies,
  createServiceProxy,
  startDnsServer,
  type ClusterNetwork,
} from "@kedge/network";
import {
  addVolumeProvisioner,
  cleanUp,
  createImageStore,
  createNodeAgent,
  createNodeMounts,
  createPackageCache,
  createRuncRuntime,
  createVolumeFolders,
  plainFolders,
  findPrograms,
} from "@kedge/node";
import type { Authority } from "@kedge/pki";
import { createInformers, createManager } from "@kedge/runtime";
import type { ControlPlane } from "./control-plane.ts";
import type { Instruments } from "./instruments.ts";

/** What a node is made with. */
export interface NodeOptions {
  readonly folder: string;
  readonly settings: ClusterNetwork;
  readonly authority: Authority;
  readonly controlPlane: ControlPlane;
  readonly instruments: Instruments;
  readonly stack: AsyncDisposableStack;
}

/** The name of the only node. */
export const nodeName = "node-1";

/** Starts a node with real containers, network, service proxy and DNS; resolves when it is ready. */
export async function startNode(options: NodeOptions): Promise<void> {
  const { settings, controlPlane, authority, instruments, stack } = options;
  const logger = instruments.logger ?? silentLogger;
  const folder = join(options.folder, "node");
  const path = process.env["PATH"] ?? "";
  const cacheFolder = process.env["KEDGE_CACHE"] ?? join(homedir(), ".cache", "kedge");
  const packages = createPackageCache({ folder: cacheFolder, clock, logger, path });
  const programs = await findPrograms({ cache: packages, clock, path });
  const commands = createCommands(programs, clock);
  const pods = createPodNetwork({
    network: settings,
    folder: join(options.folder, "network"),
    commands,
    clock,
    logger,
  });
  const containers = join(folder, "containers");
  const runc = await createRuncRuntime({ folder: containers, programs, clock, logger });
  const mounts = createNodeMounts({ folder, clock });
  stack.defer(async () => {
    await runc.close();
    await cleanUp({ folder: containers, programs, clock, logger });
    await mounts.removeBelow(folder);
    await pods.remove();
  });
  await pods.start();

  const stopping = new AbortController();
  const client = controlPlane.clientOf(`system:node:${nodeName}`, "kubelet/test");
  const informers = createInformers({ client, clock, random, logger });
  const rules = { network: settings, nodeName, informers, commands, clock, logger };
  const proxy = createServiceProxy(rules);
  const policies = createNetworkPolicies(rules);
  const network = policies.guarding(pods);
  const address = pods.gateway;
  const { domain } = settings;
  const dns = await startDnsServer({
    address,
    domain,
    names: clusterNames(informers),
    clock,
    random,
    logger,
  });
  stack.defer(() => dns.close());
  const agent = createNodeAgent({
    client,
    nodeName,
    address,
    folder,
    clock,
    random,
    logger,
    runtime: instruments.runtime?.(runc) ?? runc,
    images: createImageStore({ cache: packages, clock, logger }),
    network: instruments.network?.(network) ?? network,
    mounts: instruments.mounts?.(mounts) ?? mounts,
    dns: { address, domain },
    api: {
      host: address,
      port: 0,
      serving: await authority.issueServing({ name: `system:node:${nodeName}`, hosts: [nodeName, address] }),
      clientAuthority: authority.certificate,
      clientName: "kube-apiserver-kubelet-client",
    },
  });
  const provisioner = createManager({ client, clock, random, logger, name: "local-path" });
  const folders = createVolumeFolders(join(options.folder, "volumes"), clock, plainFolders);
  addVolumeProvisioner(provisioner, { nodeNames: [nodeName], folders });
  const { signal } = stopping;
  const running = [
    informers.run(signal),
    proxy.run(signal),
    policies.run(signal),
    agent.run(signal),
    provisioner.run(signal),
  ];
  stack.defer(async () => {
    stopping.abort();
    await Promise.allSettled(running);
  });
  await Promise.race([Promise.all([agent.ready(), provisioner.ready()]), ...running]);
}
