import { parseIpv4, type DeepReadonly } from "@kedge/machinery";
import type { LabelSelector } from "@kedge/machinery/kinds/meta/v1";
import type { IPBlock, NetworkPolicyPeer, NetworkPolicyPort } from "@kedge/machinery/kinds/networking/v1";
import type { PolicyObject } from "../types.ts";

/** One end of a connection: a pod, or an address that is none's. */
export interface ModelEnd {
  readonly address: string;
  readonly pod?: {
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly ports: readonly { readonly name: string; readonly protocol: string; readonly port: number }[];
  };
}

/** A connection that somebody tries. */
export interface ModelConnection {
  readonly from: ModelEnd;
  readonly to: ModelEnd;
  /** `TCP`, `UDP`, `SCTP`. */
  readonly protocol: string;
  readonly port: number;
}

/** The cluster that it is tried in. */
export interface ModelCluster {
  readonly policies: readonly PolicyObject[];
  readonly namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * What the documentation of the NetworkPolicy API says about a connection, sentence by sentence, with nothing shared
 * with the code that makes rules of policies: an allowed connection is one that the sender's policies and the receiver's
 * both allow; who is selected by no policy of a direction is not isolated in it.
 */
export function isAllowed(cluster: ModelCluster, connection: ModelConnection): boolean {
  // A pod cannot keep itself out.
  if (connection.from.address === connection.to.address) return true;
  return mayDo("Egress", cluster, connection) && mayDo("Ingress", cluster, connection);
}

function mayDo(
  type: "Ingress" | "Egress",
  { policies, namespaces }: ModelCluster,
  connection: ModelConnection,
): boolean {
  const { from, to } = connection;
  const [subject, other] = type === "Ingress" ? [to, from] : [from, to];
  const { pod } = subject;
  if (pod === undefined) return true;
  const selecting = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === pod.namespace &&
      (spec.policyTypes ?? []).includes(type) &&
      selects(spec.podSelector, pod.labels),
  );
  if (selecting.length === 0) return true;
  return selecting.some(({ metadata, spec }) => {
    const rules =
      type === "Ingress"
        ? (spec.ingress ?? []).map(({ from: peers, ports }) => ({ peers, ports }))
        : (spec.egress ?? []).map(({ to: peers, ports }) => ({ peers, ports }));
    return rules.some(
      ({ peers = [], ports = [] }) =>
        (peers.length === 0 || peers.some((peer) => isPeer(peer, other, metadata.namespace, namespaces))) &&
        (ports.length === 0 || ports.some((port) => isPort(port, connection))),
    );
  });
}

function isPeer(
  { ipBlock, namespaceSelector, podSelector }: DeepReadonly<NetworkPolicyPeer>,
  { address, pod }: ModelEnd,
  namespace: string,
  namespaces: ModelCluster["namespaces"],
): boolean {
  if (ipBlock !== undefined) return isInBlock(ipBlock, address);
  if (pod === undefined) return false;
  const isNamespace =
    namespaceSelector === undefined
      ? pod.namespace === namespace
      : selects(namespaceSelector, namespaces[pod.namespace] ?? {});
  return isNamespace && (podSelector === undefined || selects(podSelector, pod.labels));
}

function isInBlock({ cidr, except = [] }: DeepReadonly<IPBlock>, address: string): boolean {
  const bitsOf = (text: string): string =>
    text
      .split(".")
      .map((part) => Number(part).toString(2).padStart(8, "0"))
      .join("");
  const isIn = (range: string): boolean => {
    const [first = "", length = ""] = range.split("/");
    return (
      parseIpv4(first) !== undefined && bitsOf(address).startsWith(bitsOf(first).slice(0, Number(length)))
    );
  };
  return isIn(cidr) && !except.some(isIn);
}

function isPort(
  { protocol = "TCP", port, endPort }: DeepReadonly<NetworkPolicyPort>,
  connection: ModelConnection,
): boolean {
  if (protocol !== connection.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === "number") return connection.port >= port && connection.port <= (endPort ?? port);
  return (connection.to.pod?.ports ?? []).some(
    (one) => one.name === port && one.protocol === protocol && one.port === connection.port,
  );
}

function selects(
  { matchLabels = {}, matchExpressions = [] }: DeepReadonly<LabelSelector> = {},
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === "Exists") return value !== undefined;
      if (operator === "DoesNotExist") return value === undefined;
      const isOne = value !== undefined && values.includes(value);
      return operator === "In" ? isOne : !isOne;
    })
  );
}
