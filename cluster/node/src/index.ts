// Debian packages without installing them, and the programs that a node needs.
export { machineArchitecture } from "./debian/architecture.ts";
export { findPrograms, type NodePrograms } from "./debian/find-programs.ts";
export { createPackageCache, type PackageCache, type PackageProgress } from "./debian/package-cache.ts";
export { packageLists } from "./debian/package-lists.ts";
export { PackageError, type PackageErrorCode } from "./debian/package-error.ts";

// Images.
export { ImageError, type ImageErrorCode } from "./oci/image-error.ts";
export { createImageStore, ociFolder } from "./images/image-store.ts";
export { loadArchive } from "./oci/archive/load-archive.ts";
export { imageNameText, isImageName, parseImageName } from "./oci/image-name.ts";
export type { KnownImage } from "./oci/image-record.ts";
export { openOciStore, type OciStore } from "./oci/oci-store.ts";
export type { ImageStore } from "./images/types.ts";

// Containers.
export { cleanUp } from "./runtime/clean-up.ts";
export { ContainerError, type ContainerErrorCode } from "./runtime/container-error.ts";
export { createRuncRuntime } from "./runtime/runc-runtime.ts";
export type { ContainerInfo, ContainerRuntime, ContainerSpec, ExecProcess } from "./runtime/types.ts";

// The node agent.
export { createNodeAgent } from "./agent/create-node-agent.ts";
export type { EvictionOptions, Supplies } from "./eviction/types.ts";
export { createNodeMounts, plainFolders, type NodeMounts } from "./volumes/node-mounts.ts";
export { parseMounts } from "./volumes/mount-table.ts";

// Volumes for claims, made where they are.
export {
  createSimulatedVolumeFolders,
  createVolumeFolders,
  type VolumeFolders,
} from "./provisioner/volume-folders.ts";
export { addVolumeProvisioner, type VolumeProvisionerOptions } from "./provisioner/volume-provisioner.ts";

// A node that only pretends.
export {
  createSimulatedAgent,
  type MachineState,
  type SimulatedAgent,
  type SimulatedAgentOptions,
} from "./simulated/simulated-agent.ts";
export type { SimulatedPrograms, SimulatedRun } from "./simulated/simulated-programs.ts";
export {
  createSimulatedNodes,
  type SimulatedNodes,
  type SimulatedNodesOptions,
} from "./simulated/simulated-nodes.ts";
export { createSimulatedNetwork, simulatedImages, simulatedProber } from "./simulated/simulated-node.ts";
export { createSimulatedRuntime } from "./simulated/simulated-runtime.ts";
