import type { ApiPod } from "../model/types.ts";

/** The cluster's name server. */
export interface ClusterDns {
  readonly address: string;
  /** `cluster.local` */
  readonly domain: string;
}

/** The text of a pod's `/etc/resolv.conf`; `host` is the node's own. */
export function resolvConf(pod: ApiPod, dns: ClusterDns, host: string): string {
  const base = baseConfig(pod, dns, host);
  const more = pod.spec?.dnsConfig;
  const nameservers = unique([...base.nameservers, ...(more?.nameservers ?? [])]);
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
  readonly search: readonly string[];
  readonly options: readonly string[];
}

function baseConfig(pod: ApiPod, { address, domain }: ClusterDns, host: string): ResolverConfig {
  const { dnsPolicy = "ClusterFirst", hostNetwork } = pod.spec ?? {};
  if (dnsPolicy === "None") return { nameservers: [], search: [], options: [] };
  const usesCluster =
    dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && hostNetwork !== true);
  const own = parse(host);
  if (!usesCluster) return own;
  return {
    nameservers: [address],
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
    search: of("search").filter((name) => name !== "."),
    options: of("options"),
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
