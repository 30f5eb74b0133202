import type { NodeInfo } from "../view/node-info.ts";

/** Where the amounts of one resource are read. */
export interface ResourceAmounts {
  readonly capacityOf: (node: NodeInfo) => number;
  readonly takenOf: (node: NodeInfo) => number;
  /** Resources that only some nodes have count only for pods that want them. */
  readonly isSkipped: (wanted: number) => boolean;
}

const isSkipped = (): boolean => false;

/** How a resource is read of nodes: with what containers that ask for nothing are taken to use, or without. */
export function amountsFor(name: string, kind: "scored" | "requested"): ResourceAmounts {
  switch (name) {
    case "cpu":
      return { capacityOf: (node) => node.allocatable.cpu, takenOf: (node) => node[kind].cpu, isSkipped };
    case "memory":
      return {
        capacityOf: (node) => node.allocatable.memory,
        takenOf: (node) => node[kind].memory,
        isSkipped,
      };
    case "ephemeral-storage":
      return {
        capacityOf: (node) => node.allocatable.storage,
        takenOf: (node) => node.requested.storage,
        isSkipped,
      };
    default:
      return {
        capacityOf: (node) => node.allocatable.others.get(name) ?? 0,
        takenOf: (node) => node.requested.others.get(name) ?? 0,
        isSkipped: (wanted) => wanted === 0,
      };
  }
}
