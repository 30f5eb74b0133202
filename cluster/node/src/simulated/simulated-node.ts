import type { PodNetwork } from "@kedge/network";
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

/** Addresses that lead nowhere, counted up from 10.244.0.2; some may be given away already. */
export function createSimulatedNetwork(given: ReadonlyMap<string, string> = new Map()): SimulatedNetwork {
  const addresses = new Map(given);
  let last = 1;
  const next = (): string => {
    const taken = new Set(addresses.values());
    let address = addressOf((last += 1));
    while (taken.has(address)) address = addressOf((last += 1));
    return address;
  };
  return {
    addresses: () => new Map(addresses),
    gateway: "10.244.0.1",
    start: () => Promise.resolve(),
    attach(podUid) {
      const address = addresses.get(podUid) ?? next();
      addresses.set(podUid, address);
      return Promise.resolve({ address, namespacePath: `/simulated/${podUid}` });
    },
    detach(podUid) {
      addresses.delete(podUid);
      return Promise.resolve();
    },
    attached: () => Promise.resolve([...addresses.keys()]),
    remove() {
      addresses.clear();
      return Promise.resolve();
    },
  };
}

function addressOf(number: number): string {
  return `10.244.${Math.floor(number / 256) % 256}.${number % 256}`;
}
