import type { Clock, Logger } from "@kedge/machinery";
import { createCommands, type NetworkCommands } from "@kedge/network";
import {
  createPackageCache,
  findPrograms,
  type NodePrograms,
  type PackageCache,
  type PackageProgress,
} from "@kedge/node";
import { cacheFolder } from "./cache-folder.ts";

/** The programs that nodes, and whoever cleans up after them, work with. All nodes of a machine share them. */
export interface MachinePrograms {
  readonly packages: PackageCache;
  readonly programs: NodePrograms;
  readonly commands: NetworkCommands;
}

/** What they are found with. */
export interface MachineProgramsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onProgress?: (progress: PackageProgress) => void;
  readonly signal?: AbortSignal;
}

/** Finds the programs, or fetches them. */
export async function machinePrograms(options: MachineProgramsOptions): Promise<MachinePrograms> {
  const { clock, logger, env, onProgress, signal } = options;
  const path = env["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const cache = { folder: cacheFolder(env), clock, logger, path };
  const packages = createPackageCache(onProgress === undefined ? cache : { ...cache, onProgress });
  const programs = await findPrograms({ cache: packages, clock, path, ...(signal && { signal }) });
  return { packages, programs, commands: createCommands(programs, clock) };
}
