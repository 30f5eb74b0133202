import type { ApiPod, ContainerDefinition } from "../model/types.ts";
import type { MountedVolume, PodObjects } from "../volumes/types.ts";

/** One run of a container that is about to be made. */
export interface Run {
  readonly pod: ApiPod;
  readonly container: ContainerDefinition;
  readonly attempt: number;
  readonly sandbox: PreparedSandbox;
  readonly objects: PodObjects;
}

/** What the pod gives its containers. */
export interface PreparedSandbox {
  readonly podAddress: string;
  /** Undefined: the host's network. */
  readonly namespacePath: string | undefined;
  readonly volumes: ReadonlyMap<string, MountedVolume>;
}
