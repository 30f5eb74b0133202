import type { NetworkCommands } from "../commands.ts";
import { faultRules, type Fault, type Peer } from "./fault-rules.ts";

/**
 * Faults of the network between the nodes of a cluster, for tests. Packets are lost without a word, as by a cable that
 * was pulled: connections are not closed, and go on when it is plugged in again. `kedge down` removes all faults.
 */
export interface NetworkFaults {
  /** Nothing passes between the two. */
  cut(one: Peer, other: Peer): Promise<void>;
  /** So many bytes pass in a second in each direction, the rest is lost. */
  slow(one: Peer, other: Peer, how: { readonly bytesPerSecond: number }): Promise<void>;
  /** All is well again between the two; between all when none are named. */
  heal(one?: Peer, other?: Peer): Promise<void>;
}

/** What faults are made with. */
export interface NetworkFaultsOptions {
  /** Of the machine's network: `machineNetworkId` of the cluster's. */
  readonly id: string;
  readonly commands: NetworkCommands;
}

/** The faults of a cluster. One at a time: it knows only what it has made itself. */
export function createNetworkFaults({ id, commands }: NetworkFaultsOptions): NetworkFaults {
  let faults: readonly Fault[] = [];
  const without = (one: Peer, other: Peer): readonly Fault[] =>
    faults.filter(({ between }) => !(between.includes(one) && between.includes(other)));
  const set = async (wanted: readonly Fault[]): Promise<void> => {
    await commands.nft(faultRules(id, wanted));
    faults = wanted;
  };
  const add = async (one: Peer, other: Peer, bytesPerSecond: number): Promise<void> => {
    if (one === other) throw new RangeError("a fault is between two");
    await set([...without(one, other), { between: [one, other], bytesPerSecond }]);
  };
  return {
    cut: (one, other) => add(one, other, 0),
    async slow(one, other, { bytesPerSecond }) {
      if (!Number.isInteger(bytesPerSecond) || bytesPerSecond < 1)
        throw new RangeError(`bytesPerSecond ${bytesPerSecond}: must be a whole number above 0`);
      await add(one, other, bytesPerSecond);
    },
    heal: (one, other) => set(one === undefined || other === undefined ? [] : without(one, other)),
  };
}
