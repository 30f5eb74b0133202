import type { DeepReadonly, Labels } from "@kedge/machinery";
import type { NetworkPolicySpec } from "@kedge/machinery/kinds/networking/v1";
import type { Protocol } from "../proxy/service-ports.ts";
import type { Range } from "./ranges.ts";

/** All that decides who may connect to whom. */
export interface PolicyState {
  readonly policies: readonly PolicyObject[];
  /** Those with an address of their own, on whichever node, no two with the same. */
  readonly pods: readonly PolicyPod[];
  /** The labels of namespaces, by name. */
  readonly namespaces: ReadonlyMap<string, Labels>;
}

/** A NetworkPolicy, as far as it matters here. */
export interface PolicyObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: DeepReadonly<NetworkPolicySpec>;
}

/** A pod as policies see it. */
export interface PolicyPod {
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly address: string;
  /** Whether it is on this node. Policies are kept up by the node of the pod that they are for. */
  readonly isLocal: boolean;
  readonly ports: readonly NamedPort[];
}

/** A port of a container that has a name. */
export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** Which way a connection goes, seen from the pod that a policy is for. */
export type Direction = "ingress" | "egress";

/**
 * What a node's rules are to say. Names of sets and chains are made of what is in them or what they are for: equal ones
 * are shared, and a chain never changes.
 */
export interface PolicyRules {
  readonly sets: ReadonlyMap<string, RuleSet>;
  /** A chain for each policy and direction: who is allowed. */
  readonly allowed: ReadonlyMap<string, AllowedChain>;
  /** A chain for each combination of policies that a pod has: the names of theirs, one of which has to allow. */
  readonly combined: ReadonlyMap<string, readonly string[]>;
  /** For the address of each pod of this node that is isolated in a direction: the combination that it has. */
  readonly isolated: Readonly<Record<Direction, ReadonlyMap<string, string>>>;
}

/** Connections in a direction that one of these means are allowed. */
export interface AllowedChain {
  readonly direction: Direction;
  readonly matches: readonly Match[];
}

/** Connections with some others on some ports. */
export interface Match {
  /** The set of the other ends' addresses; undefined: anybody. */
  readonly peers: string | undefined;
  /** Undefined: all ports, and what has none, such as ICMP. */
  readonly ports: PortMatch | undefined;
}

/** Ports that connections go to: these numbers, those that a set has for the address, or, without either, all. */
export interface PortMatch {
  readonly protocol: Protocol;
  readonly numbers?: readonly Range[];
  readonly named?: string;
}

/** A set of addresses, of ranges of them, or of addresses with ports. */
export interface RuleSet {
  readonly type: "ipv4_addr" | "ipv4_addr . inet_service";
  readonly isOfRanges: boolean;
  readonly elements: ReadonlySet<string>;
}
