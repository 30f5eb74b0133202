import { nftMap, nftSet } from "./nft-text.ts";
import type { PortChains, Refusal } from "./port-chains.ts";
import type { ServicePort } from "./service-ports.ts";

/** A map or set of a table, all of whose elements a ruleset has. */
export interface NamedSet {
  readonly kind: "map" | "set";
  readonly name: string;
  readonly lines: readonly string[];
}

/** A port and its chains. */
export interface LedPort {
  readonly port: ServicePort;
  readonly chains: PortChains;
}

const addressed = "ipv4_addr . inet_proto . inet_service";
const numbered = "inet_proto . inet_service";

/** Who is led where, and who is not led, by address and port. */
export function addressSets(led: readonly LedPort[]): readonly NamedSet[] {
  const cluster = led.map(({ port, chains }) => ({
    key: at(port.clusterAddress, port),
    chain: chains.internal,
    refusal: chains.refused.internal,
  }));
  const outside = firsts(led.flatMap(outsideOf));
  const nodePorts = led
    .filter(({ port }) => port.nodePort > 0)
    .map(({ port, chains }) => ({
      key: `${port.protocol} . ${port.nodePort}`,
      chain: chains.external,
      refusal: chains.refused.external,
    }));
  const themselves = led.flatMap(({ port: { endpoints } }) =>
    [...endpoints.cluster, ...endpoints.local].map(({ address }) => `${address} . ${address}`),
  );
  return [
    map("cluster-addresses", addressed, ledOn(cluster)),
    map("external-addresses", addressed, ledOn(outside)),
    map("node-ports", numbered, ledOn(nodePorts)),
    map("refused-addresses", addressed, refused([...cluster, ...outside])),
    map("refused-ports", numbered, refused(nodePorts)),
    {
      kind: "set",
      name: "themselves",
      lines: nftSet("themselves", "ipv4_addr . ipv4_addr", [...new Set(themselves)]),
    },
  ];
}

interface Entry {
  /** What connections are known by. */
  readonly key: string;
  readonly chain: string | undefined;
  readonly refusal: Refusal | undefined;
}

function outsideOf({ port, chains }: LedPort): readonly Entry[] {
  const { external, balancer, refused: refusals } = chains;
  return [
    ...port.externalAddresses.map((address) => ({
      key: at(address, port),
      chain: external,
      refusal: refusals.external,
    })),
    ...port.balancerAddresses.map((address) => ({
      key: at(address, port),
      chain: balancer,
      refusal: refusals.balancer,
    })),
  ];
}

function at(address: string, { protocol, port }: ServicePort): string {
  return `${address} . ${protocol} . ${port}`;
}

/** Of two services that claim the same address and port, the first has it. */
function firsts(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.key, entry])).values()];
}

function ledOn(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap(({ key, chain }) => (chain === undefined ? [] : [`${key} : goto ${chain}`]));
}

function refused(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap(({ key, refusal }) => (refusal === undefined ? [] : [`${key} : ${refusal}`]));
}

function map(name: string, key: string, elements: readonly string[]): NamedSet {
  return { kind: "map", name, lines: nftMap(name, key, elements) };
}
