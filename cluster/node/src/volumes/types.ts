import type { Client } from "@kedge/client";
import type { Clock, DeepReadonly, Random } from "@kedge/machinery";
import type { ConfigMap, Secret } from "@kedge/machinery/kinds/core/v1";
import type { NodeAllocatable, PodAddresses } from "../containers/fields.ts";
import type { ApiPod } from "../model/types.ts";
import type { NodeMounts } from "./node-mounts.ts";
import type { PodTokens } from "./service-account-token.ts";

/** Objects of a pod's namespace. Undefined: there is none. Once asked for, changes of it wake the pod. */
export interface PodObjects {
  configMap(name: string): Promise<DeepReadonly<ConfigMap> | undefined>;
  secret(name: string): Promise<DeepReadonly<Secret> | undefined>;
}

/** What volumes of a pod are made with. */
export interface VolumeContext {
  readonly pod: ApiPod;
  /** Where the pod's own volumes lie: a folder for each. */
  readonly folder: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly objects: PodObjects;
  readonly tokens: PodTokens;
  readonly mounts: NodeMounts;
  readonly addresses: PodAddresses;
  readonly allocatable: NodeAllocatable;
  readonly signal: AbortSignal;
}

/** A volume that containers can mount. */
export interface MountedVolume {
  /** On this machine. */
  readonly path: string;
  readonly readOnly: boolean;
}
