import type { DeepReadonly } from "@kedge/machinery";
import type { Container, Pod } from "@kedge/machinery/kinds/core/v1";
import type { Protocol } from "../proxy/service-ports.ts";
import type { NamedPort, PolicyPod } from "./types.ts";

/** What is known of pods on this node that the API server does not tell, or not yet. */
export interface LocalPods {
  readonly nodeName: string;
  /** The addresses of those that have a network now, by uid. */
  readonly addresses: ReadonlyMap<string, string>;
  /** What they were like when they were last seen: who was deleted may run on for a moment, and stays isolated. */
  readonly lastSeen: ReadonlyMap<string, PolicyPod>;
}

/** Pods as policies see them: those that run, or will, with an address of their own. */
export function policyPods(pods: readonly DeepReadonly<Pod>[], local: LocalPods): readonly PolicyPod[] {
  const byAddress = new Map<string, PolicyPod & { readonly created: string }>();
  for (const pod of pods) {
    const found = policyPod(pod, local);
    if (found === undefined) continue;
    const created = pod.metadata.creationTimestamp ?? "";
    const other = byAddress.get(found.address);
    // Of two that say they have an address, the older one has lost it; here it is known who has it.
    const isRightful = local.addresses.get(found.uid) === found.address;
    const isOthers = other !== undefined && local.addresses.get(other.uid) === other.address;
    if (other === undefined || isRightful || (!isOthers && created >= other.created))
      byAddress.set(found.address, { ...found, created });
  }
  const known = new Set(Array.from(byAddress.values(), ({ uid }) => uid));
  const left = [...local.lastSeen.values()].filter(
    ({ uid, address }) => local.addresses.get(uid) === address && !known.has(uid),
  );
  return [...byAddress.values(), ...left];
}

/** A pod as policies see it. Pods on the host's network are the node to them, which no policy is about. */
export function policyPod(pod: DeepReadonly<Pod>, local: LocalPods): PolicyPod | undefined {
  const { metadata, spec, status } = pod;
  if (spec?.hostNetwork === true || status?.phase === "Succeeded" || status?.phase === "Failed")
    return undefined;
  const isLocal = spec?.nodeName === local.nodeName;
  const address = (isLocal ? local.addresses.get(metadata.uid) : undefined) ?? status?.podIP ?? "";
  if (!/^\d+(?:\.\d+){3}$/u.test(address)) return undefined;
  return {
    uid: metadata.uid,
    namespace: metadata.namespace,
    labels: metadata.labels ?? noLabels,
    address,
    isLocal,
    ports: namedPorts(spec),
  };
}

/** Whether a change of a pod can matter to policies. Most are of its status. */
export function isSameToPolicies(one: DeepReadonly<Pod>, other: DeepReadonly<Pod>): boolean {
  const sameLabels =
    JSON.stringify(one.metadata.labels ?? {}) === JSON.stringify(other.metadata.labels ?? {});
  return (
    sameLabels &&
    one.metadata.uid === other.metadata.uid &&
    one.spec?.nodeName === other.spec?.nodeName &&
    one.status?.podIP === other.status?.podIP &&
    one.status?.phase === other.status?.phase
  );
}

const noLabels = {};

function namedPorts(spec: DeepReadonly<Pod>["spec"]): readonly NamedPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports = [] }: DeepReadonly<Container>) =>
    ports.flatMap(({ name, protocol = "TCP", containerPort }) => {
      const lower = protocol.toLowerCase();
      return name === undefined || !isProtocol(lower) ? [] : [{ name, protocol: lower, port: containerPort }];
    }),
  );
}

function isProtocol(text: string): text is Protocol {
  return text === "tcp" || text === "udp" || text === "sctp";
}
