import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { realClock, realRandom, type Logger, silentLogger } from "@kedge/machinery";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { createCommands, createPodNetwork, type PodNetwork } from "@kedge/network";
import {
  addVolumeProvisioner,
  cleanUp,
  createImageStore,
  createNodeAgent,
  createNodeMounts,
  createPackageCache,
  createRuncRuntime,
  createVolumeFolders,
  findPrograms,
  type ContainerRuntime,
  type EvictionOptions,
} from "@kedge/node";
import { localPathClass } from "@kedge/node/local-path-class";
import { loadAuthority } from "@kedge/pki";
import { createManager } from "@kedge/runtime";
import { startOracle, type Oracle, type OracleOptions } from "../real/oracle.ts";
import { recordNetwork } from "../testing/record-network.ts";
import { testRanges } from "../testing/test-ranges.ts";

/** A real control plane with one node of ours: real containers, real network. */
export interface AgentLaboratory extends AsyncDisposable {
  readonly oracle: Oracle;
  readonly nodeName: string;
  readonly folder: string;
  readonly runtime: ContainerRuntime;
  readonly network: PodNetwork;
  /** Starts the agent, and gives the way to end it: containers go on. */
  startAgent(): Promise<() => Promise<void>>;
  /** Starts what makes volumes for the claims of the class `local-path`, and makes the class; gives the way to end it. */
  startProvisioner(): Promise<() => Promise<void>>;
}

/** Opens one. The agent is not started. */
export async function openAgentLaboratory(
  options: OracleOptions & { readonly logger?: Logger; readonly eviction?: EvictionOptions } = {},
): Promise<AgentLaboratory> {
  const clock = realClock;
  const random = realRandom;
  const logger = options.logger ?? silentLogger;
  const path = process.env["PATH"] ?? "";
  const cache = createPackageCache({
    folder: process.env["KEDGE_CACHE"] ?? join(homedir(), ".cache", "kedge"),
    clock,
    logger,
    path,
  });
  const programs = await findPrograms({ cache, clock, path });
  const oracle = await startOracle({ controllerManager: true, scheduler: true, ...options });
  const folder = await mkdtemp(join(tmpdir(), "kedge-agent-"));
  const commands = createCommands(programs, clock);
  const ranges = await testRanges();
  const id = random.uuid().slice(0, 6);
  const settings = { id, domain: "cluster.local", ...ranges, podCIDR: ranges.podRange };
  await recordNetwork(settings);
  const network = createPodNetwork({
    network: settings,
    folder: join(folder, "network"),
    commands,
    clock,
    logger,
  });
  const runtime = await createRuncRuntime({ folder: join(folder, "runtime"), programs, clock, logger });
  const mounts = createNodeMounts({ folder: join(folder, "node"), clock });
  const authority = await loadAuthority(
    {
      certificate: await readFile(join(oracle.folder, "ca.crt"), "utf8"),
      key: await readFile(join(oracle.folder, "ca.key"), "utf8"),
    },
    { clock, random },
  );
  const nodeName = "node-1";
  const serving = await authority.issueServing({ name: nodeName, hosts: ["127.0.0.1", nodeName] });
  return {
    oracle,
    nodeName,
    folder,
    runtime,
    network,
    async startAgent() {
      const agent = createNodeAgent({
        client: await oracle.clientFor(`system:node:${nodeName}`, ["system:nodes"]),
        clock,
        random,
        logger,
        nodeName,
        address: "127.0.0.1",
        folder: join(folder, "node"),
        runtime,
        images: createImageStore({ cache, clock, logger }),
        network,
        dns: { address: network.gateway, domain: "cluster.local" },
        mounts,
        ...(options.eviction && { eviction: options.eviction }),
        api: {
          host: "127.0.0.1",
          port: 0,
          serving,
          clientAuthority: authority.certificate,
          clientName: "kube-apiserver-kubelet-client",
        },
      });
      const stop = new AbortController();
      const running = agent.run(stop.signal);
      await Promise.race([agent.ready(), running]);
      return async () => {
        stop.abort();
        await running;
      };
    },
    async startProvisioner() {
      const client = oracle.admin;
      await client.of(StorageClass).create(localPathClass);
      const manager = createManager({ client, clock, random, logger, name: "local-path", metrics: "none" });
      addVolumeProvisioner(manager, {
        nodeNames: [nodeName],
        folders: createVolumeFolders(join(folder, "volumes"), clock, mounts),
      });
      const stop = new AbortController();
      const running = manager.run(stop.signal);
      await Promise.race([manager.ready(), running]);
      return async () => {
        stop.abort();
        await running;
      };
    },
    async [Symbol.asyncDispose]() {
      await runtime.close();
      await cleanUp({ folder: join(folder, "runtime"), programs, clock, logger });
      await mounts.removeBelow(folder);
      await network.remove();
      await oracle.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
