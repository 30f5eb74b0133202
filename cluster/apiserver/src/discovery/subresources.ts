import type { Resource, Subresource } from "../registry/types.ts";

/** What discovery tells of a subresource. */
export interface SubresourceFacts {
  readonly name: string;
  /** Of what is sent and answered. Group and version are empty for kinds of the resource's own group version. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** The subresources in the order in which discovery lists them: by name; of custom resources status, then scale. */
export function subresourceFacts(resource: Resource): readonly SubresourceFacts[] {
  const facts = [...resource.subresources].map(([name, subresource]) => factsOf(resource, name, subresource));
  const sorted = facts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return resource.custom === undefined ? sorted : sorted.toReversed();
}

function factsOf(resource: Resource, name: string, subresource: Subresource): SubresourceFacts {
  const own = { name, group: "", version: "" };
  switch (subresource.type) {
    case "part":
      return { ...own, kind: resource.kind, verbs: subresource.verbs.toSorted() };
    case "scale":
      return {
        name,
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: ["get", "patch", "update"],
      };
    case "action": {
      const { group, version, kind } = subresource.body;
      const isOwn = group === resource.group && version === resource.version;
      return isOwn ? { ...own, kind, verbs: ["create"] } : { name, group, version, kind, verbs: ["create"] };
    }
    case "connect":
      return { ...own, kind: subresource.optionsKind, verbs: subresource.verbs.toSorted() };
  }
}

/** The verbs in the order in which discovery lists them. */
export function verbsOf({ custom, verbs }: Resource): readonly string[] {
  if (custom === undefined) return verbs.toSorted();
  const known: readonly string[] = verbs;
  return customOrder.filter((verb) => known.includes(verb));
}

/** Kubernetes lists the verbs of custom resources in this order; comparing servers is easier with the same one. */
const customOrder = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
