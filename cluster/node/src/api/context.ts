import type { Clock, Logger } from "@kedge/machinery";
import type { ApiPod } from "../model/types.ts";
import type { ContainerRuntime } from "../runtime/types.ts";
import type { NodeUsage } from "../stats/usage-sampler.ts";

/** What the node's API needs to answer. */
export interface NodeApiContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runtime: ContainerRuntime;
  /** The node's folder. */
  readonly folder: string;
  /** The path of a pod's network namespace; undefined: the host's. */
  networkOf(pod: ApiPod): Promise<string | undefined>;
  pods(): readonly ApiPod[];
  readonly nodeName: string;
  /** What the node and its containers use. */
  usage(): NodeUsage;
  /** Whether nothing is in its containers: no logs, no commands, no ports. Default: something is. */
  readonly isSimulated?: boolean;
  /** Undefined when it is healthy, else why not. */
  health(): string | undefined;
}
