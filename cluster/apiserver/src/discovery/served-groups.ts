import type { Registry, Resource } from "../registry/types.ts";
import { compareVersions } from "./version-order.ts";

/** A group with what is served of it. */
export interface ServedGroup {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly ServedVersion[];
}

/** A group version with its resources, in the order in which discovery lists them. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly Resource[];
}

/** All groups in the order of discovery: the core group, Kubernetes' own ones as it ranks them, custom ones by name. */
export function servedGroups(registry: Registry): readonly ServedGroup[] {
  const groups = Map.groupBy(registry.all(), ({ group }) => group);
  return [...groups.keys()].toSorted(compareGroups).map((name) => ({
    name,
    versions: servedVersions(groups.get(name) ?? []),
  }));
}

function servedVersions(resources: readonly Resource[]): readonly ServedVersion[] {
  const versions = Map.groupBy(resources, ({ version }) => version);
  return [...versions.keys()].toSorted(compareVersions).map((version) => ({
    version,
    resources: (versions.get(version) ?? []).toSorted((a, b) => compareText(a.plural, b.plural)),
  }));
}

function compareGroups(one: string, other: string): number {
  return rankOf(one) - rankOf(other) || compareText(one, other);
}

function rankOf(group: string): number {
  const rank = rankedGroups.indexOf(group);
  return rank < 0 ? rankedGroups.length : rank;
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** kube-apiserver's order, which decides what a short name means when two groups have it. */
const rankedGroups: readonly string[] = [
  "",
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
  "resource.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "internal.apiserver.k8s.io",
  "storagemigration.k8s.io",
];
