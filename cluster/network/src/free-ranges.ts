import { networkInterfaces, type NetworkInterfaceInfo } from "node:os";
import { overlap, parseRange, type AddressRange } from "./address.ts";
import { NetworkError } from "./network-error.ts";

/** The ranges of a cluster. */
export interface ClusterRanges {
  readonly podRange: string;
  readonly serviceRange: string;
}

/** Kubernetes' usual ranges, or the next that this machine has no address in and nobody has reserved. */
export function freeRanges(
  taken: readonly AddressRange[] = rangesInUse(),
  reserved: readonly string[] = [],
): ClusterRanges {
  const all = [...taken, ...reserved.map(parseRange)];
  const isFree = (text: string): boolean => !all.some((range) => overlap(range, parseRange(text)));
  for (let step = 0; step < 10; step++) {
    const podRange = `10.${244 + step}.0.0/16`;
    const serviceRange = `10.${96 + step}.0.0/16`;
    if (isFree(podRange) && isFree(serviceRange)) return { podRange, serviceRange };
  }
  throw new NetworkError(
    "no free address range: this machine, or clusters on it, have addresses in all of 10.244.0.0/16 to 10.253.0.0/16. `kedge down --purge --dir …` gives up a cluster's.",
  );
}

/** Which of this machine's interfaces is in the ranges of a cluster; undefined: none, they can be used. */
export function takenBy(
  ranges: ClusterRanges,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): { readonly name: string; readonly range: string } | undefined {
  for (const [name, addresses] of Object.entries(interfaces)) {
    const taken = rangesOf(addresses ?? []);
    const range = [ranges.podRange, ranges.serviceRange].find((text) =>
      taken.some((one) => overlap(one, parseRange(text))),
    );
    if (range !== undefined) return { name, range };
  }
  return undefined;
}

/** The networks that this machine's interfaces are in. */
function rangesInUse(): readonly AddressRange[] {
  return rangesOf(Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []));
}

function rangesOf(addresses: readonly NetworkInterfaceInfo[]): readonly AddressRange[] {
  return addresses
    .filter(({ family }) => family === "IPv4")
    .flatMap(({ cidr }) => (cidr === null ? [] : [wholeNetwork(cidr)]));
}

function wholeNetwork(cidr: string): AddressRange {
  const [address = "", bits = "32"] = cidr.split("/");
  const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  return { first: number - (number % size), size, prefix: Number(bits) };
}
