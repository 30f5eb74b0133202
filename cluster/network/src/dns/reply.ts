import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  RECURSION_AVAILABLE,
  TRUNCATED_RESPONSE,
  type Answer,
  type Packet,
} from "dns-packet";
import type { Random } from "@kedge/machinery";
import { answer, type DnsRecord } from "./answer.ts";
import type { ClusterNames } from "./cluster-names.ts";

/** Seconds that an answer may be remembered. Pods come and go. */
const ttl = 5;
const serverFailure = 2;
const noSuchName = 3;
const plainSize = 512;

/** What replies are made with. */
export interface ReplyOptions {
  readonly domain: string;
  readonly names: ClusterNames;
  readonly random: Random;
}

/** The bytes of a reply, or undefined when the question is for another server. Throws when it is no question. */
export function reply(
  query: Uint8Array,
  options: ReplyOptions & { readonly udp: boolean },
): Buffer | undefined {
  const packet = decode(Buffer.from(query));
  const [question] = packet.questions ?? [];
  if (question === undefined || packet.type !== "query") throw new RangeError("a query has a question");
  const found = answer({ ...options, name: question.name, type: question.type });
  if (found.outcome === "elsewhere") return undefined;
  const exists = found.outcome === "found";
  const records = exists ? shuffled(found.records, options.random) : [];
  const whole: Packet = {
    type: "response",
    ...(packet.id === undefined ? {} : { id: packet.id }),
    flags: flagsOf(packet) | AUTHORITATIVE_ANSWER | (exists ? 0 : noSuchName),
    questions: [question],
    answers: records.map(toAnswer),
    additionals: exists ? found.additional.map(toAnswer) : [],
    authorities: records.length === 0 ? [authority(options.domain)] : [],
  };
  const bytes = encode(whole);
  if (!options.udp || bytes.length <= sizeOf(packet)) return bytes;
  return encode({ ...whole, flags: (whole.flags ?? 0) | TRUNCATED_RESPONSE, answers: [], additionals: [] });
}

/** Says that we could not find out. */
export function failure(query: Uint8Array): Buffer | undefined {
  try {
    const packet = decode(Buffer.from(query));
    return encode({
      type: "response",
      ...(packet.id === undefined ? {} : { id: packet.id }),
      flags: flagsOf(packet) | serverFailure,
      questions: packet.questions ?? [],
    });
  } catch {
    return undefined;
  }
}

/** Whether recursion was asked for is repeated; we can do it. */
function flagsOf(query: Packet): number {
  const recursionDesired = 1 << 8;
  return ((query.flags ?? 0) & recursionDesired) | RECURSION_AVAILABLE;
}

/** How much the asker takes in one datagram. */
function sizeOf(query: Packet): number {
  const option = query.additionals?.find((record) => record.type === "OPT");
  return option?.type === "OPT" ? Math.max(plainSize, option.udpPayloadSize) : plainSize;
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

/** Askers take the first address: each gets its turn. */
function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random.int(left.length), 1));
}
