import type { Clock, Logger } from "@kedge/machinery";
import { createCommands, createPodNetwork, type NetworkCommands, type PodNetwork } from "@kedge/network";
import {
  createPackageCache,
  findPrograms,
  type NodePrograms,
  type PackageCache,
  type PackageProgress,
} from "@kedge/node";
import { cacheFolder } from "../cluster/cache-folder.ts";
import type { ClusterFolder } from "../cluster/cluster-folder.ts";
import type { ClusterSettings } from "../cluster/cluster-settings.ts";

/** What a node, and whoever cleans up after one, works with. */
export interface NodeParts {
  readonly packages: PackageCache;
  readonly programs: NodePrograms;
  readonly commands: NetworkCommands;
  readonly network: PodNetwork;
}

/** What the parts are made with. */
export interface NodePartsOptions {
  readonly folder: ClusterFolder;
  readonly settings: ClusterSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onProgress?: (progress: PackageProgress) => void;
  readonly signal?: AbortSignal;
}

/** Finds the programs, or fetches them, and makes the network of them. Nothing is started. */
export async function nodeParts(options: NodePartsOptions): Promise<NodeParts> {
  const { clock, logger, env, folder, settings, onProgress, signal } = options;
  const path = env["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const cache = { folder: cacheFolder(env), clock, logger, path };
  const packages = createPackageCache(onProgress === undefined ? cache : { ...cache, onProgress });
  const programs = await findPrograms({ cache: packages, clock, path, ...(signal && { signal }) });
  const commands = createCommands(programs, clock);
  const network = createPodNetwork({ network: settings, folder: folder.network, commands, clock, logger });
  return { packages, programs, commands, network };
}
