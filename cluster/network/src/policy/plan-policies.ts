import type { DeepReadonly, Steps } from "@kedge/machinery";
import type { NetworkPolicyPeer, NetworkPolicyPort } from "@kedge/machinery/kinds/networking/v1";
import { createPodSelection, type PodSelection } from "./select-pods.ts";
import { nameFor } from "./name-for.ts";
import { mergeRanges, rangesOfBlock, rangeText, type Range } from "./ranges.ts";
import { namedPlaces, portMatches, type NamedPlaces } from "./port-matches.ts";
import type {
  AllowedChain,
  Direction,
  Match,
  PolicyObject,
  PolicyRules,
  PolicyState,
  RuleSet,
} from "./types.ts";

/**
 * The rules by which a node keeps to the cluster's policies: for each of its pods that a policy isolates, which
 * connections pass. A pure function; in steps, because policies and pods may be many.
 */
export function* planPolicies(state: PolicyState): Steps<PolicyRules> {
  const selection = createPodSelection(state);
  const plan: Plan = {
    selection,
    places: namedPlaces(state.pods),
    sets: new Map(),
    allowed: new Map(),
    combined: new Map(),
  };
  const passed = { ingress: new Map<string, Set<string>>(), egress: new Map<string, Set<string>>() };
  for (const policy of state.policies) {
    yield;
    const { namespace } = policy.metadata;
    const subjects = selection
      .inNamespace(namespace, policy.spec.podSelector)
      .filter(({ isLocal }) => isLocal);
    if (subjects.length === 0) continue;
    for (const direction of directionsOf(policy)) {
      const chain = yield* policyChain(policy, direction, plan);
      for (const { address } of subjects) {
        const chains = passed[direction].get(address) ?? new Set();
        passed[direction].set(address, chains.add(chain));
      }
    }
  }
  const isolated = { ingress: new Map<string, string>(), egress: new Map<string, string>() };
  for (const direction of ["ingress", "egress"] as const)
    for (const [address, chains] of passed[direction])
      isolated[direction].set(address, combination([...chains].toSorted(), plan));
  const { sets, allowed, combined } = plan;
  return { sets, allowed, combined, isolated };
}

interface Plan {
  readonly selection: PodSelection;
  readonly places: NamedPlaces;
  readonly sets: Map<string, RuleSet>;
  readonly allowed: Map<string, AllowedChain>;
  readonly combined: Map<string, readonly string[]>;
}

interface Rule {
  readonly peers: readonly DeepReadonly<NetworkPolicyPeer>[];
  readonly ports: readonly DeepReadonly<NetworkPolicyPort>[];
}

function directionsOf({ spec }: PolicyObject): readonly Direction[] {
  const types = spec.policyTypes ?? ["Ingress", ...((spec.egress ?? []).length > 0 ? ["Egress"] : [])];
  return (["ingress", "egress"] as const).filter((direction) =>
    types.includes(direction === "ingress" ? "Ingress" : "Egress"),
  );
}

/** The chain that says what the policy allows in this direction. */
function* policyChain(policy: PolicyObject, direction: Direction, plan: Plan): Steps<string> {
  const { namespace } = policy.metadata;
  const rules: readonly Rule[] =
    direction === "ingress"
      ? (policy.spec.ingress ?? []).map(({ from = [], ports = [] }) => ({ peers: from, ports }))
      : (policy.spec.egress ?? []).map(({ to = [], ports = [] }) => ({ peers: to, ports }));
  const matches: Match[] = [];
  for (const rule of rules) {
    yield;
    const ports = portMatches(rule.ports, plan.places, plan.sets);
    for (const peers of yield* peerSets(namespace, rule.peers, plan))
      matches.push(...ports.map((match) => ({ peers, ports: match })));
  }
  const name = nameFor("policy", JSON.stringify([direction, matches]));
  plan.allowed.set(name, { direction, matches });
  return name;
}

/** The chain of pods that these policies are for. */
function combination(policies: readonly string[], { combined }: Plan): string {
  const name = nameFor("pod", policies.join());
  combined.set(name, policies);
  return name;
}

/** Sets that the other end's address is in one of; undefined: anybody's. */
function* peerSets(
  namespace: string,
  peers: readonly DeepReadonly<NetworkPolicyPeer>[],
  { selection, sets }: Plan,
): Steps<readonly (string | undefined)[]> {
  if (peers.length === 0) return [undefined];
  const ofPods = peers.filter(({ ipBlock }) => ipBlock === undefined);
  const names: string[] = [];
  if (ofPods.length > 0) {
    // Where all name namespaces themselves, the policy's own does not matter: then policies of many share the set.
    const isOwn = ofPods.some(({ namespaceSelector }) => namespaceSelector === undefined);
    const name = nameFor("pods", JSON.stringify([isOwn ? namespace : null, ofPods]));
    names.push(name);
    if (!sets.has(name)) {
      const elements = new Set<string>();
      for (const peer of ofPods) {
        yield;
        for (const { address } of selection.peers(namespace, peer)) elements.add(address);
      }
      sets.set(name, { type: "ipv4_addr", isOfRanges: false, elements });
    }
  }
  const parts: Range[] = [];
  for (const { ipBlock } of peers) {
    if (ipBlock === undefined) continue;
    yield;
    for (const range of yield* rangesOfBlock(ipBlock)) parts.push(range);
  }
  const ranges = mergeRanges(parts);
  if (ranges.length > 0) {
    yield;
    const elements = new Set(ranges.map(rangeText));
    const name = nameFor("ranges", [...elements].join());
    names.push(name);
    sets.set(name, { type: "ipv4_addr", isOfRanges: true, elements });
  }
  return names;
}
