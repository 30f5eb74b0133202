import type { Steps } from "@kedge/machinery";
import { networkNames } from "../names.ts";
import type { ClusterNetwork } from "../types.ts";
import { nftChain, nftMap, nftSet } from "../proxy/nft-text.ts";
import type { AllowedChain, Direction, PolicyRules, PortMatch, RuleSet } from "./types.ts";

/** What a table is made with. */
export interface TablePlace {
  readonly network: ClusterNetwork;
  /** Where the cluster's names are answered: pods may always ask there. */
  readonly resolvers: readonly string[];
}

const directions: readonly Direction[] = ["ingress", "egress"];

/**
 * Makes the table anew, whatever is there, in one transaction.
 *
 * It has a place in the path of what is forwarded only: what comes from the node itself, such as probes, and what goes
 * to it, such as questions to its DNS, is never refused. There destinations are those behind a service already.
 * Connections that are under way go on; of datagrams each is judged, since nothing else ends their flow.
 */
export function tableAnew(rules: PolicyRules, { network, resolvers }: TablePlace): string {
  const { policies: table, vethPrefix } = networkNames(network);
  const askResolvers = `ip daddr { ${resolvers.join(", ")} } meta l4proto { tcp, udp } th dport 53 goto inward`;
  const lines = [
    ...[...rules.sets].flatMap(([name, set]) => setLines(name, set)),
    ...nftChain("refused", [
      "meta l4proto tcp reject with tcp reset",
      "reject with icmp type admin-prohibited",
    ]),
    ...[...chainsOf(rules)].flatMap(([name, chain]) => nftChain(name, chain)),
    ...directions.flatMap((direction) =>
      nftMap(
        direction,
        "ipv4_addr",
        [...rules.isolated[direction]].map(([key, chain]) => entry(key, chain)),
      ),
    ),
    ...nftSet("themselves", "ipv4_addr . ipv4_addr", themselves(rules).map(pair)),
    ...nftChain("inward", ["ip daddr vmap @ingress", "accept"]),
    ...nftChain("forward", [
      "type filter hook forward priority filter - 5;",
      "ct state related accept",
      "ct state established ct direction reply accept",
      "ct state established meta l4proto != udp accept",
      // A pod that reaches itself through a service.
      "ip saddr . ip daddr @themselves accept",
      ...(resolvers.length > 0 ? [askResolvers] : []),
      "ip saddr vmap @egress",
      "goto inward",
    ]),
    // A pod that sends from another's address would be judged as that one.
    ...nftChain("prerouting", [
      "type filter hook prerouting priority raw;",
      `iifname "${vethPrefix}*" fib saddr . iif oif missing drop`,
    ]),
  ];
  return `add table ip ${table}\ndelete table ip ${table}\ntable ip ${table} {\n${lines.join("\n")}\n}\n`;
}

/** The change from some rules to others, one transaction of as many lines as there are differences; undefined: none. */
export function* tableChange(
  before: PolicyRules,
  after: PolicyRules,
  { network }: Pick<TablePlace, "network">,
): Steps<string | undefined> {
  const { policies: table } = networkNames(network);
  const lines: string[] = [];
  const element = (verb: "add" | "delete", name: string, elements: readonly string[]): void => {
    if (elements.length > 0) lines.push(`${verb} element ip ${table} ${name} { ${elements.join(", ")} }`);
  };
  for (const [name, set] of after.sets) {
    yield;
    const was = before.sets.get(name);
    if (was === undefined)
      lines.push(
        `add set ip ${table} ${name} { type ${set.type}; ${set.isOfRanges ? "flags interval; " : ""}}`,
      );
    element("delete", name, missing(was?.elements, set.elements));
    element("add", name, missing(set.elements, was?.elements));
  }
  const known = chainsOf(before);
  for (const [name, rules] of chainsOf(after)) {
    if (known.has(name)) continue;
    lines.push(`add chain ip ${table} ${name}`);
    for (const rule of rules) lines.push(`add rule ip ${table} ${name} ${rule}`);
  }
  for (const direction of directions) {
    const [was, is] = [before.isolated[direction], after.isolated[direction]];
    element("delete", direction, changed(was, is));
    element(
      "add",
      direction,
      changed(is, was).map((key) => entry(key, is.get(key) ?? "")),
    );
  }
  const [were, are] = [new Set(themselves(before)), new Set(themselves(after))];
  element("delete", "themselves", missing(were, are).map(pair));
  element("add", "themselves", missing(are, were).map(pair));
  return lines.length === 0 ? undefined : `${lines.join("\n")}\n`;
}

/**
 * Deletes what only the rules before needed, in a transaction of its own: what was referred to when a transaction began
 * cannot be deleted by it. Undefined: nothing.
 */
export function tableRemains(
  before: PolicyRules,
  after: PolicyRules,
  { network }: Pick<TablePlace, "network">,
): string | undefined {
  const { policies: table } = networkNames(network);
  const chains = gone(chainsOf(before), chainsOf(after));
  const lines = [
    // First all of their rules, which lead from one to the other.
    ...chains.map((name) => `flush chain ip ${table} ${name}`),
    ...chains.map((name) => `delete chain ip ${table} ${name}`),
    ...gone(before.sets, after.sets).map((name) => `delete set ip ${table} ${name}`),
  ];
  return lines.length === 0 ? undefined : `${lines.join("\n")}\n`;
}

/** Those that others lead to come first. */
function chainsOf({ allowed, combined }: PolicyRules): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ...Array.from(allowed, ([name, chain]) => [name, allowedLines(chain)] as const),
    ...Array.from(
      combined,
      ([name, chains]) => [name, [...chains.map((chain) => `jump ${chain}`), "goto refused"]] as const,
    ),
  ]);
}

/** What a pod may send, the policies of the one that it sends to judge next. */
function allowedLines({ direction, matches }: AllowedChain): readonly string[] {
  const [field, verdict] = direction === "ingress" ? ["ip saddr", "accept"] : ["ip daddr", "goto inward"];
  return matches.map(({ peers, ports }) =>
    [...(peers === undefined ? [] : [`${field} @${peers}`]), ...portsText(ports), verdict].join(" "),
  );
}

function portsText(ports: PortMatch | undefined): readonly string[] {
  if (ports === undefined) return [];
  const { protocol, numbers, named } = ports;
  if (named !== undefined) return [`ip daddr . ${protocol} dport @${named}`];
  if (numbers === undefined) return [`meta l4proto ${protocol}`];
  const texts = numbers.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  return [`${protocol} dport { ${texts.join(", ")} }`];
}

function setLines(name: string, { type, isOfRanges, elements }: RuleSet): readonly string[] {
  return nftSet(name, isOfRanges ? `${type}; flags interval` : type, [...elements]);
}

function themselves({ isolated }: PolicyRules): readonly string[] {
  return [...new Set([...isolated.ingress.keys(), ...isolated.egress.keys()])];
}

function pair(address: string): string {
  return `${address} . ${address}`;
}

function entry(address: string, chain: string): string {
  return `${address} : goto ${chain}`;
}

/** The keys of one that another has not, or has something else for. */
function changed(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): readonly string[] {
  return [...one.keys()].filter((key) => other.get(key) !== one.get(key));
}

/** The names of one that another has not. */
function gone(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): readonly string[] {
  return [...one.keys()].filter((name) => !other.has(name));
}

function missing(
  from: ReadonlySet<string> = new Set(),
  others: ReadonlySet<string> = new Set(),
): readonly string[] {
  return [...from].filter((one) => !others.has(one));
}
