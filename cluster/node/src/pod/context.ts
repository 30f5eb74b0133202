import type { Client } from "@kedge/client";
import type { Clock, DeepReadonly, Logger, Random } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { PodNetwork } from "@kedge/network";
import type { EventRecorder } from "@kedge/runtime";
import type { NodeAllocatable } from "../containers/fields.ts";
import type { ClusterDns } from "../containers/resolv-conf.ts";
import type { ImageStore } from "../images/types.ts";
import type { Prober } from "../probes/types.ts";
import type { ContainerRuntime } from "../runtime/types.ts";
import type { NodeMounts } from "../volumes/node-mounts.ts";
import type { PodTokens } from "../volumes/service-account-token.ts";
import type { PodObjects } from "../volumes/types.ts";
import type { ApiPod } from "../model/types.ts";

/** What all pods of a node share. */
export interface PodContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly client: Client;
  readonly api: PodApi;
  readonly events: EventRecorder;
  readonly runtime: ContainerRuntime;
  readonly images: ImageStore;
  readonly network: PodNetwork;
  readonly prober: Prober;
  readonly mounts: NodeMounts;
  readonly tokens: PodTokens;
  /** Where the node keeps its things. */
  readonly folder: string;
  readonly nodeName: string;
  readonly hostAddress: string;
  readonly dns: ClusterDns;
  readonly allocatable: NodeAllocatable;
  readonly memoryBytes: number;
  /** Whether this machine has AppArmor. */
  readonly appArmor: boolean;
  /** The node's own `/etc/resolv.conf`. */
  readonly hostResolvConf: string;
  /** All services of the cluster, once they are known. */
  services(signal: AbortSignal): Promise<readonly DeepReadonly<Service>[]>;
  /** The config maps and secrets of a namespace; `onChange` is called when one that was asked for changes. */
  objectsOf(namespace: string, onChange: () => void): PodObjects & Disposable;
}

/** What the node writes about pods. */
export interface PodApi {
  /** Sends a strategic merge patch of the status, and gives the pod as it is now. */
  patchStatus(pod: ApiPod, patch: object, signal: AbortSignal): Promise<ApiPod>;
  /** Takes the object away at once; does nothing when it, or this one of its name, is gone. */
  delete(pod: ApiPod, signal: AbortSignal): Promise<void>;
}
