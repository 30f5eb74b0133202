// Debian packages without installing them, and the programs that a node needs.
export { findPrograms, type FindProgramsOptions, type NodePrograms } from "./debian/find-programs.ts";
export {
  createPackageCache,
  type PackageCache,
  type PackageCacheOptions,
  type PackageProgress,
  type UnpackedPackage,
} from "./debian/package-cache.ts";
export { PackageError, type PackageErrorCode } from "./debian/package-error.ts";
export type { Suite } from "./debian/package-lists.ts";

// Images.
export { ImageError, type ImageErrorCode } from "./images/image-error.ts";
export { createImageStore, type ImageStoreOptions } from "./images/image-store.ts";
export type { ImageStore, ResolvedImage } from "./images/types.ts";

// Containers.
export { cleanUp, type CleanUpOptions } from "./runtime/clean-up.ts";
export { ContainerError, type ContainerErrorCode } from "./runtime/container-error.ts";
export { createRuncRuntime, type RuncPrograms, type RuncRuntimeOptions } from "./runtime/runc-runtime.ts";
export type {
  ContainerInfo,
  ContainerMount,
  ContainerResources,
  ContainerRuntime,
  ContainerSpec,
  ExecCommand,
  ExecProcess,
} from "./runtime/types.ts";

// The node agent.
export { cleanUpNode, type CleanUpNodeOptions } from "./agent/clean-up-node.ts";
export { createNodeAgent, type NodeAgent, type NodeAgentOptions } from "./agent/create-node-agent.ts";
export type { NodeApiOptions } from "./api/node-api.ts";
export type { ClusterDns } from "./containers/resolv-conf.ts";
export type { NodeCapacity } from "./node/machine-facts.ts";
export type { Prober, ProbeResult } from "./probes/types.ts";
export { plainFolders, tmpfsFolders, type MemoryFolders } from "./volumes/memory-folders.ts";

// A node that only pretends.
export { createSimulatedNetwork, simulatedImages, simulatedProber } from "./simulated/simulated-node.ts";
export {
  createSimulatedRuntime,
  type SimulatedLife,
  type SimulatedRuntimeOptions,
} from "./simulated/simulated-runtime.ts";
