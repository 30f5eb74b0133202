import type { Random } from "@kedge/machinery";
import type { LabelSelector } from "@kedge/machinery/kinds/meta/v1";
import type {
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "@kedge/machinery/kinds/networking/v1";

/** What policies are made up about. */
export interface MadeUpPlace {
  readonly namespaces: readonly string[];
  /** Addresses that connections come from and go to. */
  readonly addresses: readonly string[];
  /** Numbers of ports that connections go to. */
  readonly ports: readonly number[];
}

/** A policy that can be created. */
export interface MadeUpPolicy {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: NetworkPolicySpec;
}

/** Labels that selectors of made-up policies mean now and then. */
export function madeUpLabels(random: Random): Record<string, string> {
  const labels: Record<string, string> = {};
  if (random.int(4) > 0) labels["app"] = pick(random, ["web", "db", "cache"]);
  if (random.int(2) > 0) labels["tier"] = pick(random, ["front", "back"]);
  return labels;
}

/** The names of ports that pods have and policies speak of. */
export const madeUpPortNames: readonly string[] = ["main", "side"];

/** A policy that is valid, as the API server stores it: with all its defaults. */
export function madeUpPolicy(random: Random, place: MadeUpPlace, name: string): MadeUpPolicy {
  const make = <T>(one: () => T): T[] => listOf(random, 3, one);
  const spec: NetworkPolicySpec = { podSelector: selector(random) };
  if (random.int(4) > 0) {
    spec.ingress = make(() => {
      const { peers, ports } = ruleOf(random, place);
      return { ...(peers !== undefined && { from: peers }), ...(ports !== undefined && { ports }) };
    });
  }
  if (random.int(4) > 1) {
    spec.egress = make(() => {
      const { peers, ports } = ruleOf(random, place);
      return { ...(peers !== undefined && { to: peers }), ...(ports !== undefined && { ports }) };
    });
  }
  spec.policyTypes =
    random.int(3) > 0
      ? spec.egress === undefined
        ? ["Ingress"]
        : ["Ingress", "Egress"]
      : pick(random, [["Ingress"], ["Egress"], ["Ingress", "Egress"]]);
  return { metadata: { name, namespace: pick(random, place.namespaces) }, spec };
}

function ruleOf(random: Random, place: MadeUpPlace) {
  return {
    peers: random.int(5) > 0 ? listOf(random, 3, () => peer(random, place)) : undefined,
    ports: random.int(2) > 0 ? listOf(random, 3, () => port(random, place)) : undefined,
  };
}

function peer(random: Random, { addresses }: MadeUpPlace): NetworkPolicyPeer {
  switch (random.int(4)) {
    case 0:
      return { podSelector: selector(random) };
    case 1:
      return { namespaceSelector: selector(random) };
    case 2:
      return { podSelector: selector(random), namespaceSelector: selector(random) };
    default:
      return { ipBlock: block(random, addresses) };
  }
}

/** A range around one address, without ranges around others. */
function block(random: Random, addresses: readonly string[]) {
  const bits = pick(random, [0, 8, 16, 24, 28, 30, 32]);
  const cidr = rangeAround(pick(random, addresses), bits);
  const except = addresses
    .filter(() => random.int(4) === 0)
    .filter((address) => bits < 32 && rangeAround(address, bits) === cidr)
    .map((address) => rangeAround(address, bits + 1 + random.int(32 - bits)));
  return { cidr, ...(except.length > 0 && { except }) };
}

function rangeAround(address: string, bits: number): string {
  const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const first = number - (number % 2 ** (32 - bits));
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256);
  return `${parts.join(".")}/${bits}`;
}

function port(random: Random, { ports }: MadeUpPlace): NetworkPolicyPort {
  const protocol = pick(random, ["TCP", "TCP", "TCP", "UDP", "SCTP"]);
  const number = pick(random, ports);
  switch (random.int(5)) {
    case 0:
      return { protocol };
    case 1:
      return { protocol, port: pick(random, madeUpPortNames) };
    case 2:
      return { protocol, port: number, endPort: Math.max(number, pick(random, ports)) };
    default:
      return { protocol, port: number };
  }
}

function selector(random: Random): LabelSelector {
  const value = (): Record<string, string> => ({ app: pick(random, ["web", "db", "cache"]) });
  switch (random.int(6)) {
    case 0:
      return {};
    case 1:
      return { matchExpressions: [{ key: "tier", operator: pick(random, ["Exists", "DoesNotExist"]) }] };
    case 2:
      return {
        matchExpressions: [
          {
            key: "app",
            operator: pick(random, ["In", "NotIn"]),
            values: [pick(random, ["web", "db"]), "cache"],
          },
        ],
      };
    case 3:
      return { matchLabels: { ...value(), tier: pick(random, ["front", "back"]) } };
    default:
      return { matchLabels: value() };
  }
}

function listOf<T>(random: Random, most: number, make: () => T): T[] {
  return Array.from({ length: random.int(most + 1) }, make);
}

function pick<T>(random: Random, items: readonly [T, ...T[]] | readonly T[]): T {
  const item = items[random.int(items.length)];
  if (item === undefined) throw new RangeError("nothing to pick from");
  return item;
}
