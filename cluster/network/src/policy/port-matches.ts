import type { DeepReadonly } from "@kedge/machinery";
import type { NetworkPolicyPort } from "@kedge/machinery/kinds/networking/v1";
import type { Protocol } from "../proxy/service-ports.ts";
import { nameFor } from "./name-for.ts";
import { mergeRanges, type Range } from "./ranges.ts";
import type { PolicyPod, PortMatch, RuleSet } from "./types.ts";

const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];

/**
 * What is asked of the port that a connection goes to, one of these. A name means the port that the pod calls so which
 * the connection goes to: what is no pod has none.
 */
export function portMatches(
  ports: readonly DeepReadonly<NetworkPolicyPort>[],
  pods: readonly PolicyPod[],
  sets: Map<string, RuleSet>,
): readonly (PortMatch | undefined)[] {
  if (ports.length === 0) return [undefined];
  return protocols.flatMap((protocol) => {
    const ofProtocol = ports.filter((port) => (port.protocol ?? "TCP").toLowerCase() === protocol);
    if (ofProtocol.some(({ port }) => port === undefined)) return [{ protocol }];
    const numbers = mergeRanges(ofProtocol.flatMap(({ port, endPort }) => rangeOf(port, endPort)));
    const names = new Set(ofProtocol.map(({ port }) => port).filter((port) => typeof port === "string"));
    return [
      ...(numbers.length === 0 ? [] : [{ protocol, numbers }]),
      ...Array.from(names, (name) => ({ protocol, named: namedPorts(name, protocol, { pods, sets }) })),
    ];
  });
}

/** The set of the places that pods call so. */
function namedPorts(
  name: string,
  protocol: Protocol,
  { pods, sets }: { readonly pods: readonly PolicyPod[]; readonly sets: Map<string, RuleSet> },
): string {
  const set = nameFor("port", `${name}/${protocol}`);
  if (sets.has(set)) return set;
  const elements = pods.flatMap(({ address, ports }) =>
    ports
      .filter((port) => port.name === name && port.protocol === protocol)
      .map(({ port }) => `${address} . ${port}`),
  );
  sets.set(set, { type: "ipv4_addr . inet_service", isOfRanges: false, elements: new Set(elements) });
  return set;
}

function rangeOf(port: number | string | undefined, endPort: number | undefined): readonly Range[] {
  return typeof port === "number" ? [[port, endPort ?? port]] : [];
}
