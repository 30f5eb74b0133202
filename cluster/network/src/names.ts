import { createHash } from "node:crypto";
import type { ClusterNetwork } from "./types.ts";

/** Names of what a cluster makes on this machine. Linux allows interfaces 15 characters. */
export interface NetworkNames {
  /** The interface that has the gateway's address. */
  readonly bridge: string;
  readonly table: string;
  /** The table that keeps strangers out. */
  readonly guard: string;
  /** The table that leads ports of the node to pods. */
  readonly hostPorts: string;
  /** The table that keeps to network policies. */
  readonly policies: string;
  /** The table that cuts and slows connections between nodes, for tests. */
  readonly faults: string;
  /** What all network namespaces of the cluster begin with. */
  readonly namespacePrefix: string;
  readonly namespaceOf: (podUid: string) => string;
  /** This machine's end of a pod's veth pair. */
  readonly vethOf: (podUid: string) => string;
  /** What all veth pairs of the cluster begin with. */
  readonly vethPrefix: string;
}

/** The names of a cluster's network. */
export function networkNames({ id }: Pick<ClusterNetwork, "id">): NetworkNames {
  if (!/^[0-9a-f]{4,6}$/u.test(id)) {
    throw new RangeError(`cluster network id ${JSON.stringify(id)}: must be 4 to 6 hexadecimal digits`);
  }
  return {
    bridge: `kedge-${id}`,
    table: `kedge-${id}`,
    guard: `kedge-${id}-guard`,
    hostPorts: `kedge-${id}-host-ports`,
    policies: `kedge-${id}-policies`,
    faults: `kedge-${id}-faults`,
    namespacePrefix: `kedge-${id}-`,
    namespaceOf: (uid) => `kedge-${id}-${digest(uid, 16)}`,
    vethPrefix: `${anyVethPrefix}${id}`,
    vethOf: (uid) => `${anyVethPrefix}${id}${digest(uid, 7)}`,
  };
}

/** What the veth pairs of all clusters begin with. */
export const anyVethPrefix = "kd";

/** Whether an interface is the bridge of some cluster. */
export function isBridge(name: string): boolean {
  return /^kedge-[0-9a-f]{4,6}$/u.test(name);
}

function digest(uid: string, length: number): string {
  return createHash("sha256").update(uid).digest("hex").slice(0, length);
}
