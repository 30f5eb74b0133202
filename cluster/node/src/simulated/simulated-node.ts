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

/** Addresses that lead nowhere, counted up from 10.244.0.2. */
export function createSimulatedNetwork(): PodNetwork {
  const addresses = new Map<string, string>();
  let last = 1;
  return {
    gateway: "10.244.0.1",
    start: () => Promise.resolve(),
    attach(podUid) {
      const address = addresses.get(podUid) ?? addressOf((last += 1));
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
