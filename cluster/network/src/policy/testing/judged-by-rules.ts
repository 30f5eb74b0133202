import { parseIpv4 } from "@kedge/machinery";
import type { Protocol } from "../../proxy/service-ports.ts";
import type { Direction, PolicyRules, PortMatch, RuleSet } from "../types.ts";

/** A connection by its addresses. */
export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** What the kernel would do with a connection in one direction by these rules. */
export function isPassed(rules: PolicyRules, direction: Direction, packet: Packet): boolean {
  const [subject, other] = direction === "ingress" ? [packet.to, packet.from] : [packet.from, packet.to];
  const combination = rules.isolated[direction].get(subject);
  if (packet.from === packet.to || combination === undefined) return true;
  const chains = rules.combined.get(combination) ?? [];
  return chains.some((chain) => {
    const allowed = rules.allowed.get(chain);
    if (allowed?.direction !== direction) throw new Error(`${chain} is not for ${direction}`);
    return allowed.matches.some(
      ({ peers, ports }) =>
        (peers === undefined || has(setOf(rules, peers), other)) && isPort(rules, ports, packet),
    );
  });
}

function isPort(rules: PolicyRules, ports: PortMatch | undefined, { to, protocol, port }: Packet): boolean {
  if (ports === undefined) return true;
  if (ports.protocol !== protocol) return false;
  if (ports.named !== undefined) return has(setOf(rules, ports.named), `${to} . ${port}`);
  return ports.numbers === undefined || ports.numbers.some(([first, last]) => port >= first && port <= last);
}

function setOf({ sets }: PolicyRules, name: string): RuleSet {
  const set = sets.get(name);
  if (set === undefined) throw new Error(`there is no set ${name}`);
  return set;
}

function has({ isOfRanges, elements }: RuleSet, element: string): boolean {
  if (!isOfRanges) return elements.has(element);
  const number = parseIpv4(element) ?? Number.NaN;
  return [...elements].some((range) => {
    const [first = "", last = first] = range.split("-");
    return number >= (parseIpv4(first) ?? Number.NaN) && number <= (parseIpv4(last) ?? Number.NaN);
  });
}
