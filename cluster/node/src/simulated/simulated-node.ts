import { addressAt, parseRange, type PodNetwork } from "@kedge/network";
import type { ImageStore } from "../images/types.ts";
import type { Prober } from "../probes/types.ts";

/** Every image is there, and empty. */
export const simulatedImages: ImageStore = {
  resolve: (name) =>
    Promise.resolve({
      name,
      id: `simulated:${name}`,
      origin: "simulated",
      layers: [],
      entrypoint: ["simulated"],
      command: [],
      environment: {},
      workingDirectory: "/",
      user: "",
    }),
  has: () => Promise.resolve(true),
  hold: () => Promise.resolve(true),
  release: () => Promise.resolve(),
  list: () => Promise.resolve([]),
  collect: () => Promise.resolve({ wanted: 0, freed: 0 }),
};

/** Every probe succeeds as soon as it is asked. */
export const simulatedProber: Prober = {
  probe: () => Promise.resolve({ outcome: "success", output: "" }),
};

/** A network that another one can go on from. */
export interface SimulatedNetwork extends PodNetwork {
  /** The addresses that are given away, by the uid of their pod. */
  addresses(): ReadonlyMap<string, string>;
}

/** What a simulated network begins with. */
export interface SimulatedNetworkOptions {
  /** The addresses that are given away already, by the uid of their pod. */
  readonly addresses?: ReadonlyMap<string, string> | undefined;
  /** Where addresses are taken from. The first one is the gateway's. */
  readonly podCIDR?: string | undefined;
}

/** Addresses that lead nowhere. */
export function createSimulatedNetwork(options: SimulatedNetworkOptions = {}): SimulatedNetwork {
  const { podCIDR = "10.244.0.0/16" } = options;
  const range = parseRange(podCIDR);
  const addresses = new Map(options.addresses);
  const taken = new Set(addresses.values());
  let last = 1;
  const next = (): string => {
    // Neither the network's own address, nor the gateway's, nor the one for all of them.
    for (let tried = 2; tried < range.size - 1; tried++) {
      last = last + 1 < range.size - 1 ? last + 1 : 2;
      const address = addressAt(range, last);
      if (!taken.has(address)) return address;
    }
    throw new Error(`no address is left in ${podCIDR}`);
  };
  return {
    addresses: () => new Map(addresses),
    gateway: addressAt(range, 1),
    start: () => Promise.resolve(),
    async attach(podUid) {
      const address = addresses.get(podUid) ?? next();
      addresses.set(podUid, address);
      taken.add(address);
      return { address, namespacePath: `/simulated/${podUid}` };
    },
    detach(podUid) {
      taken.delete(addresses.get(podUid) ?? "");
      addresses.delete(podUid);
      return Promise.resolve();
    },
    attached: () => Promise.resolve([...addresses.keys()]),
    remove() {
      addresses.clear();
      taken.clear();
      return Promise.resolve();
    },
  };
}
