import type { DeepReadonly, Labels } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { affinityTermsOf, type AffinityTerms } from "./affinity-term.ts";
import { hostPortsOf, type HostPort } from "./host-ports.ts";
import { podRequestsOf, type PodRequests } from "./pod-requests.ts";

type AnyPod = DeepReadonly<Pod>;

/** A pod with what is computed of it once, and not for each node that it is held against. */
export interface PodInfo extends PodRequests {
  readonly pod: AnyPod;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly isTerminating: boolean;
  readonly ports: readonly HostPort[];
  readonly terms: AffinityTerms;
  /** `namespace/name` of the claims that it uses by name. */
  readonly claims: readonly string[];
}

const noLabels: Labels = {};
const noClaims: readonly string[] = [];

/** Computes what does not change while a pod has the same spec; that is taken over from what was known before. */
export function podInfoOf(pod: AnyPod, before?: PodInfo): PodInfo {
  const { namespace, uid, labels = noLabels, deletionTimestamp } = pod.metadata;
  const { priority = 0 } = pod.spec;
  const common = { pod, uid, namespace, labels, priority, isTerminating: deletionTimestamp !== undefined };
  if (before !== undefined && isSameSpec(before.pod, pod)) {
    const { requested, scored, ports, terms, claims } = before;
    const requests =
      tellsResources(pod) || tellsResources(before.pod) ? podRequestsOf(pod) : { requested, scored };
    return { ...common, ...requests, ports, terms, claims };
  }
  return {
    ...common,
    ...podRequestsOf(pod),
    ports: hostPortsOf(pod),
    terms: affinityTermsOf(pod),
    claims: claimsOf(pod),
  };
}

function isSameSpec(one: AnyPod, other: AnyPod): boolean {
  const { generation } = one.metadata;
  const isSame =
    one.spec === other.spec || (generation !== undefined && generation === other.metadata.generation);
  // Terms depend on labels, which have no generation.
  return isSame && (one.metadata.labels === other.metadata.labels || one.spec.affinity === undefined);
}

/** Whether the status says what the containers really have. */
function tellsResources({ status }: AnyPod): boolean {
  const statuses = status?.containerStatuses;
  return statuses !== undefined && statuses.some(({ resources }) => resources !== undefined);
}

function claimsOf({ metadata, spec }: AnyPod): readonly string[] {
  if (spec.volumes === undefined) return noClaims;
  return spec.volumes.flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [`${metadata.namespace}/${persistentVolumeClaim.claimName}`],
  );
}
