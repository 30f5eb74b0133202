import type { RemoteVersion, RemoteVersions } from "../aggregation/index.ts";
import { prioritiesOf } from "../registry/priorities.ts";
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
  /** Set for what another server serves: then it says what the resources are. */
  readonly remote?: RemoteVersion | undefined;
}

/** All groups in the order of discovery: by their priorities, then by name. What another server serves, it serves alone. */
export function servedGroups(
  registry: Registry,
  remotes?: Pick<RemoteVersions, "all">,
): readonly ServedGroup[] {
  const versions = new Map<string, RankedVersion>();
  for (const resources of Map.groupBy(registry.all(), versionKey).values()) {
    const [first] = resources;
    if (first === undefined) continue;
    const sorted = resources.toSorted((a, b) => compareText(a.plural, b.plural));
    versions.set(versionKey(first), rankedVersion(first, { resources: sorted }));
  }
  for (const remote of remotes?.all() ?? [])
    versions.set(versionKey(remote), rankedVersion(remote, { resources: [], remote }));
  const groups = Map.groupBy(versions.values(), ({ group }) => group);
  return [...groups]
    .map(([name, all]) => ({
      name,
      all,
      priority: Math.max(...all.map(({ groupPriority }) => groupPriority)),
    }))
    .toSorted((one, other) => other.priority - one.priority || compareText(one.name, other.name))
    .map(({ name, all }) => ({ name, versions: all.toSorted(compareRanks) }));
}

interface RankedVersion extends ServedVersion {
  readonly group: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

function versionKey({ group, version }: Pick<Resource, "group" | "version">): string {
  return `${group}/${version}`;
}

function rankedVersion(
  one: Resource | RemoteVersion,
  { resources, remote }: Pick<ServedVersion, "resources" | "remote">,
): RankedVersion {
  const { group, version } = one;
  const [groupPriority, versionPriority] =
    "groupPriority" in one ? [one.groupPriority, one.versionPriority] : prioritiesOf(one);
  // The group of the APIServices themselves is before all others.
  const isFirst = group === "apiregistration.k8s.io";
  return {
    group,
    version,
    resources,
    ...(remote !== undefined && { remote }),
    groupPriority: isFirst ? Infinity : groupPriority,
    versionPriority,
  };
}

function compareRanks(one: RankedVersion, other: RankedVersion): number {
  return other.versionPriority - one.versionPriority || compareVersions(one.version, other.version);
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
