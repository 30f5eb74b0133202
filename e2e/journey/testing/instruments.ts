import type { Door } from "@kedge/apiserver";
import type { Logger } from "@kedge/machinery";
import type { PodNetwork } from "@kedge/network";
import type { ContainerRuntime, NodeMounts } from "@kedge/node";
import type { Manager } from "@kedge/runtime";
import type { Store } from "@kedge/store";

/**
 * Where one can look into a cluster in one process, or put something in between. Each is given a part and gives back
 * what is used in its place. Absent: the part itself.
 */
export interface Instruments {
  readonly store?: (store: Store) => Store;
  /** Every way into the API server, HTTPS included. Who sends is in the user agent. */
  readonly door?: (door: Door) => Door;
  readonly network?: (network: PodNetwork) => PodNetwork;
  readonly mounts?: (mounts: NodeMounts) => NodeMounts;
  readonly runtime?: (runtime: ContainerRuntime) => ContainerRuntime;
  /** Told of each manager before it runs, by the name in its user agent. */
  readonly manager?: (name: string, manager: Manager) => void;
  /** Of all parts. Default: silent. */
  readonly logger?: Logger;
}
