import { parseIpv4, type DeepReadonly } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { serviceNameLabel } from "../proxy/service-endpoints.ts";
import type { ClusterNames } from "./cluster-names.ts";

/** A record of an answer. */
export type DnsRecord =
  | { readonly type: "A"; readonly name: string; readonly address: string }
  | { readonly type: "CNAME" | "PTR"; readonly name: string; readonly target: string }
  | { readonly type: "SRV"; readonly name: string; readonly port: number; readonly target: string }
  | { readonly type: "TXT"; readonly name: string; readonly text: string };

/** What the cluster knows of a name. `elsewhere`: it is not the cluster's to answer. */
export type DnsAnswer =
  | {
      readonly outcome: "found";
      readonly records: readonly DnsRecord[];
      readonly additional: readonly DnsRecord[];
      /** Where the last alias among the records leads, when that is not the cluster's to answer. */
      readonly leadsTo?: string;
    }
  | { readonly outcome: "no such name" }
  | { readonly outcome: "elsewhere" };

/** The question as it came, and who knows. */
export interface Question {
  readonly name: string;
  readonly type: string;
  /** `cluster.local` */
  readonly domain: string;
  readonly names: ClusterNames;
}

const noSuchName: DnsAnswer = { outcome: "no such name" };

/** Aliases that are followed, one after the other: two services may be each other's. */
const mostAliases = 8;

/** Answers by Kubernetes' rules for names of services and pods (version 1.1.0 of them), and as CoreDNS beyond them. */
export function answer(question: Question): DnsAnswer {
  return follow(question, answerOne(question), mostAliases);
}

/** Adds what an alias leads to: those who ask seldom go on asking themselves. */
function follow(question: Question, known: DnsAnswer, left: number): DnsAnswer {
  if (known.outcome !== "found" || question.type === "CNAME" || question.type === "ANY") return known;
  const last = known.records.at(-1);
  if (last?.type !== "CNAME" || left === 0) return known;
  const next = answerOne({ ...question, name: last.target });
  if (next.outcome === "elsewhere") return { ...known, leadsTo: last.target };
  if (next.outcome !== "found") return known;
  return follow(question, { ...next, records: [...known.records, ...next.records] }, left - 1);
}

function answerOne(question: Question): DnsAnswer {
  const name = question.name.toLowerCase().replace(/\.$/u, "");
  if (name.endsWith(".in-addr.arpa")) return reverse({ ...question, name });
  const { domain } = question;
  if (name !== domain && !name.endsWith(`.${domain}`)) return { outcome: "elsewhere" };
  const labels = name === domain ? [] : name.slice(0, -domain.length - 1).split(".");
  const under = labels.pop();
  if (under === undefined) return found(question, []);
  if (under === "dns-version" && labels.length === 0) {
    return found(question, [{ type: "TXT", name: question.name, text: "1.1.0" }]);
  }
  if (under === "pod") return podName(question, labels);
  return under === "svc" ? serviceName(question, labels) : noSuchName;
}

function serviceName(question: Question, labels: string[]): DnsAnswer {
  const namespace = labels.pop();
  const name = labels.pop();
  // Names above services exist, though nothing is known of them.
  if (namespace === undefined || name === undefined) return found(question, []);
  const service = question.names.service(namespace, name);
  if (service === undefined) return noSuchName;
  const target = service.spec?.externalName;
  if (service.spec?.type === "ExternalName" && target !== undefined) {
    return labels.length === 0
      ? found(question, [{ type: "CNAME", name: question.name, target }])
      : noSuchName;
  }
  const peers = peersOf(question.names.slices(namespace, name));
  const [first, second, ...more] = labels;
  if (first === undefined) return found(question, addresses(question.name, service, peers));
  if (more.length > 0) return noSuchName;
  if (second === undefined) {
    const named = peers.filter(({ hostname }) => hostname === first);
    if (named.length === 0) return noSuchName;
    return found(
      question,
      named.map(({ address }) => ({ type: "A" as const, name: question.name, address })),
    );
  }
  return servicePort(question, { service, peers, port: first, protocol: second });
}

interface PortQuestion {
  readonly service: DeepReadonly<Service>;
  readonly peers: readonly Peer[];
  readonly port: string;
  readonly protocol: string;
}

/** `_redis._tcp.<service>`: where the port of that name is. */
function servicePort(question: Question, { service, peers, port, protocol }: PortQuestion): DnsAnswer {
  const base = nameOf(service, question.domain);
  const served = service.spec?.ports?.find(
    (candidate) =>
      (candidate.name ?? "") !== "" &&
      `_${candidate.name}` === port &&
      `_${(candidate.protocol ?? "TCP").toLowerCase()}` === protocol,
  );
  if (served === undefined) return noSuchName;
  if (!isHeadless(service)) {
    const records: DnsRecord[] = [{ type: "SRV", name: question.name, port: served.port, target: base }];
    return found(question, records, addresses(base, service, peers));
  }
  const targets = peers.flatMap(({ hostname, address, ports }) => {
    const number = ports.get(served.name ?? "");
    return number === undefined ? [] : [{ port: number, target: `${hostname}.${base}`, address }];
  });
  return found(
    question,
    targets.map(({ port: number, target }) => ({ type: "SRV", name: question.name, port: number, target })),
    targets.map(({ target, address }) => ({ type: "A", name: target, address })),
  );
}

function addresses(
  name: string,
  service: DeepReadonly<Service>,
  peers: readonly Peer[],
): readonly DnsRecord[] {
  const all = isHeadless(service) ? peers.map(({ address }) => address) : [service.spec?.clusterIP ?? ""];
  return all.filter((address) => address !== "").map((address) => ({ type: "A", name, address }));
}

/** `10-244-0-12.default.pod`: the address that it says. */
function podName(question: Question, [dashed = "", ...namespace]: readonly string[]): DnsAnswer {
  const address = dashed.replaceAll("-", ".");
  if (namespace.length !== 1 || parseIpv4(address) === undefined) return noSuchName;
  return found(question, [{ type: "A", name: question.name, address }]);
}

function reverse(question: Question): DnsAnswer {
  const address = question.name.slice(0, -".in-addr.arpa".length).split(".").toReversed().join(".");
  const pointer = (target: string): DnsAnswer =>
    found(question, [{ type: "PTR", name: question.name, target }]);
  const service = question.names.serviceAt(address);
  if (service !== undefined) return pointer(nameOf(service, question.domain));
  for (const slice of question.names.slicesAt(address)) {
    const peer = peersOf([slice]).find((candidate) => candidate.address === address);
    const owner = slice.metadata.labels?.[serviceNameLabel] ?? "";
    const { namespace } = slice.metadata;
    const behind = question.names.service(namespace, owner);
    if (peer === undefined || behind === undefined) continue;
    // A pod behind a service with an address is called after it only when it has a name of its own.
    if (!isHeadless(behind) && !peer.isNamed) continue;
    return pointer(`${peer.hostname}.${owner}.${namespace}.svc.${question.domain}`);
  }
  return { outcome: "elsewhere" };
}

interface Peer {
  /** Its own, or its address with dashes. */
  readonly hostname: string;
  /** Whether it is its own. */
  readonly isNamed: boolean;
  readonly address: string;
  readonly ports: ReadonlyMap<string, number>;
}

/** The endpoints that are ready, or published though they are not. */
function peersOf(slices: readonly DeepReadonly<EndpointSlice>[]): readonly Peer[] {
  return slices
    .filter(({ addressType }) => addressType === "IPv4")
    .flatMap((slice) => {
      const ports = new Map((slice.ports ?? []).map(({ name, port }) => [name ?? "", port ?? 0]));
      return (slice.endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses: [address], hostname }) =>
          address === undefined
            ? []
            : [
                {
                  address,
                  hostname: hostname ?? address.replaceAll(".", "-"),
                  isNamed: hostname !== undefined,
                  ports,
                },
              ],
        );
    });
}

function isHeadless(service: DeepReadonly<Service>): boolean {
  return service.spec?.clusterIP === "None";
}

function nameOf({ metadata }: DeepReadonly<Service>, domain: string): string {
  return `${metadata.name}.${metadata.namespace}.svc.${domain}`;
}

/** The name exists; what was not asked for is left out. Aliases are answered whatever was asked. */
function found(
  question: Question,
  records: readonly DnsRecord[],
  additional: readonly DnsRecord[] = [],
): DnsAnswer {
  const asked = records.filter(
    ({ type }) => type === question.type || question.type === "ANY" || type === "CNAME",
  );
  return { outcome: "found", records: asked, additional: asked.length === 0 ? [] : additional };
}
