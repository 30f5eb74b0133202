import { createHash } from "node:crypto";
import { nftChain, nftMemory } from "./nft-text.ts";
import type { Endpoint } from "./service-endpoints.ts";
import type { ServicePort } from "./service-ports.ts";

/** The chains that lead the connections of one port on, and who begins where. */
export interface PortChains {
  /** Names of all chains and sets of this port. */
  readonly chains: readonly string[];
  readonly memories: readonly string[];
  readonly lines: readonly string[];
  /** Where connections to the cluster address go; undefined: to no endpoint. */
  readonly internal: string | undefined;
  /** The same for those to node ports and external addresses. */
  readonly external: string | undefined;
  /** The same for those to the load balancer's addresses. */
  readonly balancer: string | undefined;
  /** What becomes of connections that are led nowhere, by way they came; undefined: all are led on. */
  readonly refused: {
    readonly internal: Refusal | undefined;
    readonly external: Refusal | undefined;
    readonly balancer: Refusal | undefined;
  };
}

/** Without any endpoint a connection is refused at once; where others may lead to one it is dropped. */
export type Refusal = "goto refused" | "drop";

/** What rules need to know of the node. */
export interface ChainPlace {
  /** The addresses of this node's own pods, and its own. */
  readonly podCIDR: string;
  /** The addresses of all pods. */
  readonly podRange: string;
  /** False: a machine whose nodes are elsewhere. It leads what comes from outside to any of them. */
  readonly isNode: boolean;
}

/** On packets whose answers must come back this way. A bit that no other program is known to use. */
export const masqueradeMark = 0x2000;
const mark = `meta mark set meta mark or ${masqueradeMark}`;

/** The chains of a port. Their names stay the same as long as the port is the same. */
export function chainsOf(port: ServicePort, { podCIDR, podRange, isNode }: ChainPlace): PortChains {
  const { cluster, local } = port.endpoints;
  const id = digest(`${port.name}/${port.protocol}`);
  const names = {
    cluster: `cluster-${id}`,
    local: `local-${id}`,
    external: `external-${id}`,
    balancer: `balancer-${id}`,
  };
  const hasAny = cluster.length > 0;
  const isLocal = { internal: port.internalLocal, external: port.externalLocal && isNode };
  const usesLocal = local.length > 0 && (isLocal.internal || isLocal.external);
  const isOutside =
    port.nodePort > 0 || port.externalAddresses.length > 0 || port.balancerAddresses.length > 0;
  const isGuarded = port.balancerAddresses.length > 0 && port.sourceRanges.length > 0;

  const external = isLocal.external
    ? [
        // The node itself and its pods are led as if they had gone out and come back by a load balancer.
        `ip saddr ${podCIDR} goto ${names.cluster}`,
        `fib saddr type local ${mark} goto ${names.cluster}`,
        ...(local.length > 0 ? [`goto ${names.local}`] : []),
      ]
    : [
        // Strangers are to be known to the endpoint. Pods are not: it might answer one on its own node directly.
        `${port.externalLocal ? `ip saddr ${podRange} ` : ""}ip saddr != ${podCIDR} ${mark}`,
        `goto ${names.cluster}`,
      ];
  const chains = new Map<string, readonly string[]>();
  if (hasAny) chains.set(names.cluster, pick(port, cluster, id));
  if (usesLocal) chains.set(names.local, pick(port, local, id));
  if (hasAny && isOutside) chains.set(names.external, external);
  if (hasAny && isGuarded)
    chains.set(names.balancer, [`ip saddr { ${port.sourceRanges.join(", ")} } goto ${names.external}`]);
  const reached = port.affinitySeconds === 0 ? [] : union(cluster, usesLocal ? local : []);
  for (const endpoint of reached) {
    const { chain, memory } = namesOf(port, endpoint, id);
    chains.set(chain, [`update @${memory} { ip saddr }`, lead(port, endpoint)]);
  }

  const missing = hasAny ? "drop" : "goto refused";
  const hasInternal = isLocal.internal ? local.length > 0 : hasAny;
  const hasExternal = isLocal.external ? local.length > 0 : hasAny;
  const begin = hasAny && isOutside ? names.external : undefined;
  return {
    chains: [...chains.keys()],
    memories: reached.map((endpoint) => namesOf(port, endpoint, id).memory),
    lines: [
      ...reached.flatMap((endpoint) =>
        nftMemory(namesOf(port, endpoint, id).memory, "ipv4_addr", port.affinitySeconds),
      ),
      ...[...chains].flatMap(([name, rules]) => nftChain(name, rules)),
    ],
    internal: hasInternal ? (isLocal.internal ? names.local : names.cluster) : undefined,
    external: begin,
    balancer: hasAny && isGuarded ? names.balancer : begin,
    refused: {
      internal: hasInternal ? undefined : missing,
      external: hasExternal ? undefined : missing,
      balancer: hasExternal && !isGuarded ? undefined : missing,
    },
  };
}

/** Rules that take one of the endpoints: the one that the client had, or each with the same chance. */
function pick(port: ServicePort, endpoints: readonly Endpoint[], id: string): readonly string[] {
  if (port.affinitySeconds === 0) return [leadToAny(port, endpoints)];
  const names = endpoints.map((endpoint) => namesOf(port, endpoint, id));
  return [
    ...names.map(({ chain, memory }) => `ip saddr @${memory} goto ${chain}`),
    `numgen random mod ${names.length} vmap { ${names.map(({ chain }, index) => `${index} : goto ${chain}`).join(", ")} }`,
  ];
}

function leadToAny(port: ServicePort, endpoints: readonly Endpoint[]): string {
  const [only] = endpoints;
  if (endpoints.length === 1 && only !== undefined) return lead(port, only);
  const choices = endpoints.map((endpoint, index) => `${index} : ${endpoint.address} . ${endpoint.port}`);
  return `meta l4proto ${port.protocol} dnat to numgen random mod ${endpoints.length} map { ${choices.join(", ")} }`;
}

function lead({ protocol }: ServicePort, { address, port }: Endpoint): string {
  return `meta l4proto ${protocol} dnat to ${address}:${port}`;
}

/** The time is part of the memory's name: what is there already cannot be given another. */
function namesOf(
  { affinitySeconds }: ServicePort,
  { address, port }: Endpoint,
  id: string,
): { readonly chain: string; readonly memory: string } {
  const end = digest(`${id}/${address}:${port}`);
  return { chain: `endpoint-${end}`, memory: `clients-${end}-${affinitySeconds}` };
}

function union(...lists: readonly (readonly Endpoint[])[]): readonly Endpoint[] {
  return [...new Map(lists.flat().map((one) => [`${one.address}:${one.port}`, one])).values()];
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
