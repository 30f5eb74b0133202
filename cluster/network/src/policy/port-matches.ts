import type { DeepReadonly } from "@kedge/machinery";
import type { NetworkPolicyPort } from "@kedge/machinery/kinds/networking/v1";
import type { Protocol } from "../proxy/service-ports.ts";
import { nameFor } from "./name-for.ts";
import { mergeRanges, type Range } from "./ranges.ts";
import type { PolicyPod, PortMatch, RuleSet } from "./types.ts";

const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];

/** Where pods have ports, by protocol and name: `10.244.0.11 . 8080`. */
export type NamedPlaces = ReadonlyMap<string, readonly string[]>;

/** Finds the named ports of pods. */
export function namedPlaces(pods: readonly PolicyPod[]): NamedPlaces {
  const places = new Map<string, string[]>();
  for (const { address, ports } of pods)
    for (const { name, protocol, port } of ports) {
      const key = keyOf(protocol, name);
      const found = places.get(key) ?? [];
      places.set(key, found);
      found.push(`${address} . ${port}`);
    }
  return places;
}

/**
 * What is asked of the port that a connection goes to, one of these. A name means the port that the pod calls so which
 * the connection goes to: what is no pod has none.
 */
export function portMatches(
  ports: readonly DeepReadonly<NetworkPolicyPort>[],
  places: NamedPlaces,
  sets: Map<string, RuleSet>,
): readonly (PortMatch | undefined)[] {
  if (ports.length === 0) return [undefined];
  return protocols.flatMap((protocol) => {
    const ofProtocol = ports.filter((port) => (port.protocol ?? "TCP").toLowerCase() === protocol);
    if (ofProtocol.some(({ port }) => port === undefined)) return [{ protocol }];
    const numbers = mergeRanges(ofProtocol.flatMap(({ port, endPort }) => rangeOf(port, endPort)));
    const names = new Set(ofProtocol.map(({ port }) => port).filter((port) => typeof port === "string"));
    const keys = [...names].toSorted().map((name) => keyOf(protocol, name));
    return [
      ...(numbers.length === 0 ? [] : [{ protocol, numbers }]),
      ...(keys.length === 0 ? [] : [{ protocol, named: namedPorts(keys, places, sets) }]),
    ];
  });
}

/** The set of the places that pods call so. */
function namedPorts(keys: readonly string[], places: NamedPlaces, sets: Map<string, RuleSet>): string {
  const set = nameFor("ports", keys.join());
  const elements = new Set(keys.flatMap((key) => places.get(key) ?? []));
  sets.set(set, { type: "ipv4_addr . inet_service", isOfRanges: false, elements });
  return set;
}

function keyOf(protocol: Protocol, name: string): string {
  return `${protocol}/${name}`;
}

function rangeOf(port: number | string | undefined, endPort: number | undefined): readonly Range[] {
  return typeof port === "number" ? [[port, endPort ?? port]] : [];
}
