import type { ApiPod } from "../model/types.ts";

/** The cluster's name server. */
export interface ClusterDns {
  readonly address: string;
  /** Those of other nodes, which are asked while the node's own does not answer. Default: none. */
  readonly others?: readonly string[];
  /** `cluster.local` */
  readonly domain: string;
}

/** Resolvers ask no more, and the kubelet lets no pod have more. */
const mostNameservers = 3;

/** The text of a pod's `/etc/resolv.conf`; `host` is the node's own. */
export function resolvConf(pod: ApiPod, dns: ClusterDns, host: string): string {
  const base = baseConfig(pod, dns, host);
  const more = pod.spec?.dnsConfig;
  // What the pod asks for is not to be crowded out.
  const all = [...base.nameservers, ...(more?.nameservers ?? []), ...base.fallback];
  const nameservers = unique(all).slice(0, mostNameservers);
  const search = unique([...base.search, ...(more?.searches ?? [])]);
  const options = new Map(base.options.map((option) => [option.split(":")[0] ?? option, option]));
  for (const { name = "", value } of more?.options ?? []) {
    options.set(name, value === undefined ? name : `${name}:${value}`);
  }
  return [
    ...(search.length === 0 ? [] : [`search ${search.join(" ")}`]),
    ...nameservers.map((address) => `nameserver ${address}`),
    ...(options.size === 0 ? [] : [`options ${[...options.values()].join(" ")}`]),
    "",
  ].join("\n");
}

interface ResolverConfig {
  readonly nameservers: readonly string[];
  readonly fallback: readonly string[];
  readonly search: readonly string[];
  readonly options: readonly string[];
}

function baseConfig(pod: ApiPod, dns: ClusterDns, host: string): ResolverConfig {
  const { address, others = [], domain } = dns;
  const { dnsPolicy = "ClusterFirst", hostNetwork } = pod.spec ?? {};
  if (dnsPolicy === "None") return { nameservers: [], fallback: [], search: [], options: [] };
  const usesCluster =
    dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && hostNetwork !== true);
  const own = parse(host);
  if (!usesCluster) return own;
  return {
    nameservers: [address],
    fallback: others,
    search: [`${pod.metadata.namespace}.svc.${domain}`, `svc.${domain}`, domain, ...own.search],
    options: ["ndots:5"],
  };
}

function parse(text: string): ResolverConfig {
  const words = text.split("\n").map((line) => line.trim().split(/\s+/u));
  const of = (keyword: string): string[] =>
    words.filter(([first]) => first === keyword).flatMap(([, ...rest]) => rest);
  return {
    nameservers: of("nameserver"),
    fallback: [],
    search: of("search").filter((name) => name !== "."),
    options: of("options"),
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
