import { apiVersionOf } from "@kedge/machinery";
import type { Resource } from "../registry/types.ts";
import type { ServedGroup, ServedVersion } from "./served-groups.ts";
import { storageVersionHash } from "./storage-version-hash.ts";
import { subresourceFacts, verbsOf } from "./subresources.ts";

/** `/api`. Who asks through a host name is told to go on with it. */
export function apiVersions(core: ServedGroup | undefined, host: string): object {
  return {
    kind: "APIVersions",
    versions: (core?.versions ?? []).map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: host }],
  };
}

/** `/apis`. */
export function apiGroupList(groups: readonly ServedGroup[]): object {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupFacts) };
}

/** `/apis/<group>`. */
export function apiGroup(group: ServedGroup): object {
  return { kind: "APIGroup", apiVersion: "v1", ...groupFacts(group) };
}

function groupFacts({ name, versions }: ServedGroup) {
  const facts = versions.map(({ version }) => ({
    groupVersion: apiVersionOf({ group: name, version }),
    version,
  }));
  return { name, versions: facts, preferredVersion: facts[0] };
}

/** `/api/v1` and `/apis/<group>/<version>`. Kubernetes leaves `apiVersion` out for the core group. */
export function apiResourceList(group: string, { version, resources }: ServedVersion): object {
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap(resourceFacts),
  };
}

function resourceFacts(resource: Resource): readonly object[] {
  const namespaced = resource.scope === "Namespaced";
  const { plural, shortNames, categories } = resource;
  const hash = storageVersionHash(resource);
  return [
    {
      name: plural,
      singularName: resource.singular,
      namespaced,
      kind: resource.kind,
      verbs: verbsOf(resource),
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
      ...(hash === undefined ? {} : { storageVersionHash: hash }),
    },
    ...subresourceFacts(resource).map(({ name, group, version, kind, verbs }) => ({
      name: `${plural}/${name}`,
      singularName: "",
      namespaced,
      ...(group === "" ? {} : { group }),
      ...(version === "" ? {} : { version }),
      kind,
      verbs,
    })),
  ];
}
