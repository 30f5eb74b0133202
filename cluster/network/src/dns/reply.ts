import {
  AUTHORITATIVE_ANSWER,
  encode,
  RECURSION_AVAILABLE,
  TRUNCATED_RESPONSE,
  type Answer,
  type Packet,
} from "dns-packet";
import type { Random } from "@kedge/machinery";
import { answer, type DnsAnswer, type DnsRecord } from "./answer.ts";
import type { ClusterNames } from "./cluster-names.ts";
import type { DnsQuery } from "./read-query.ts";

/** Seconds that an answer may be remembered. Pods come and go. */
const ttl = 5;
const noSuchName = 3;
const recursionDesired = 1 << 8;

/** Why there is no answer, as numbers of the protocol. */
export const refusals = { malformed: 1, failed: 2, "not implemented": 4 } as const;

/** The types that are asked for by name; nothing of ours has another. */
const typeNames = new Map([
  [1, "A"],
  [5, "CNAME"],
  [12, "PTR"],
  [16, "TXT"],
  [28, "AAAA"],
  [33, "SRV"],
  [255, "ANY"],
]);

/** What replies are made with. */
export interface ReplyOptions {
  readonly domain: string;
  readonly names: ClusterNames;
  readonly random: Random;
}

/** What the cluster knows. */
export function lookUp(query: DnsQuery, options: Pick<ReplyOptions, "domain" | "names">): DnsAnswer {
  return answer({ ...options, name: query.name, type: typeNames.get(query.type) ?? "other" });
}

/** The bytes of a reply. `beyond`: what other servers say of the name that an alias leads to. */
export function reply(
  query: DnsQuery,
  found: Exclude<DnsAnswer, { readonly outcome: "elsewhere" }>,
  options: ReplyOptions & { readonly udp: boolean; readonly beyond?: readonly Answer[] },
): Buffer {
  const exists = found.outcome === "found";
  const records = exists ? inTurn(found.records, options.random) : [];
  const flags = flagsOf(query) | AUTHORITATIVE_ANSWER | (exists ? 0 : noSuchName);
  const whole = encodeReply(query, {
    flags,
    answers: [...records.map(toAnswer), ...(options.beyond ?? [])],
    additionals: exists ? found.additional.map(toAnswer) : [],
    authorities: records.length === 0 ? [authority(options.domain)] : [],
  });
  if (!options.udp || whole.length <= query.size) return whole;
  return encodeReply(query, { flags: flags | TRUNCATED_RESPONSE });
}

/** Says that we could not find out. */
export function failure(query: DnsQuery): Buffer {
  return encodeReply(query, { flags: flagsOf(query) | refusals.failed });
}

/** Says that what came is no query that we understand. */
export function refusal(id: number, why: "malformed" | "not implemented"): Buffer {
  return encode({ type: "response", id, flags: refusals[why] });
}

/** The question is repeated as its own bytes: names may have any, and not all of them survive being text. */
function encodeReply(query: DnsQuery, rest: Packet): Buffer {
  const bytes = encode({ type: "response", id: query.id, ...rest });
  const head = bytes.subarray(0, 12);
  head.writeUInt16BE(1, 4);
  return Buffer.concat([head, query.question, bytes.subarray(12)]);
}

/** Whether recursion was asked for is repeated; we can do it. */
function flagsOf(query: DnsQuery): number {
  return (query.recursionDesired ? recursionDesired : 0) | RECURSION_AVAILABLE;
}

function toAnswer(record: DnsRecord): Answer {
  const { name } = record;
  switch (record.type) {
    case "A":
      return { type: "A", name, ttl, data: record.address };
    case "SRV":
      return {
        type: "SRV",
        name,
        ttl,
        data: { port: record.port, target: record.target, priority: 0, weight: 100 },
      };
    case "TXT":
      return { type: "TXT", name, ttl, data: record.text };
    case "CNAME":
    case "PTR":
      return { type: record.type, name, ttl, data: record.target };
  }
}

/** Says how long "there is nothing" may be remembered. */
function authority(domain: string): Answer {
  const data = {
    mname: `ns.dns.${domain}`,
    rname: `hostmaster.${domain}`,
    serial: 1,
    refresh: 7200,
    retry: 1800,
    expire: 86_400,
    minimum: ttl,
  };
  return { type: "SOA", name: domain, ttl, data };
}

/** Askers read aliases in the order in which they lead on, and take the first address: each gets its turn. */
function inTurn(records: readonly DnsRecord[], random: Random): readonly DnsRecord[] {
  const aliases = records.filter(({ type }) => type === "CNAME");
  return [
    ...aliases,
    ...shuffled(
      records.filter(({ type }) => type !== "CNAME"),
      random,
    ),
  ];
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random.int(left.length), 1));
}
