import type { Resource } from "../registry/types.ts";
import type { ServedGroup, ServedVersion } from "./served-groups.ts";
import { subresourceFacts, verbsOf } from "./subresources.ts";

/** The content type of aggregated discovery: a client takes any other for the old form. */
export const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** apidiscovery.k8s.io/v2 APIGroupDiscoveryList: all of some groups in one document. */
export function aggregatedDiscovery(groups: readonly ServedGroup[]): object {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((served) => versionFacts(served)),
    })),
  };
}

function versionFacts({ version, resources, remote }: ServedVersion): object {
  const facts = remote?.resources ?? resources.map(resourceFacts);
  return {
    version,
    ...(facts.length > 0 && { resources: facts }),
    freshness: remote?.isFresh === false ? "Stale" : "Current",
  };
}

function resourceFacts(resource: Resource): object {
  const { shortNames, categories } = resource;
  const subresources = subresourceFacts(resource).map(({ name, group, version, kind, verbs }) => ({
    subresource: name,
    responseKind: group === "" ? responseKind(resource, kind) : { group, version, kind },
    verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: responseKind(resource, resource.kind),
    scope: resource.scope === "Namespaced" ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: verbsOf(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** Kubernetes names group and version only for custom kinds; for its own they are those of the list. */
function responseKind(resource: Resource, kind: string): object {
  return resource.custom === undefined
    ? { group: "", version: "", kind }
    : { group: resource.group, version: resource.version, kind };
}
