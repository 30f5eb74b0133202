import type { ServedKind } from "./types.ts";

/** The answer of `/apis` in the form that every server speaks. */
export interface ApiGroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

/** The answer of `/apis/<group>/<version>`. */
export interface ApiResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** Group versions of `/apis`, the preferred version of each group first. */
export function groupVersionsOf(list: ApiGroupList): { group: string; version: string }[] {
  return (list.groups ?? []).flatMap(({ name, versions, preferredVersion }) => {
    const preferred = preferredVersion?.version;
    const order = versions.map(({ version }) => version).filter((version) => version !== preferred);
    return [...(preferred === undefined ? [] : [preferred]), ...order].map((version) => ({
      group: name,
      version,
    }));
  });
}

/** Kinds of one group version; subresources (`pods/log`) are folded into their kind. */
export function kindsOf(group: string, version: string, list: ApiResourceList): ServedKind[] {
  const resources = list.resources ?? [];
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((resource) => ({
      group,
      version,
      kind: resource.kind,
      plural: resource.name,
      scope: resource.namespaced ? "Namespaced" : "Cluster",
      verbs: resource.verbs ?? [],
      subresources: resources
        .filter(({ name }) => name.startsWith(`${resource.name}/`))
        .map(({ name }) => name.slice(resource.name.length + 1)),
      ...(resource.singularName !== undefined && { singular: resource.singularName }),
      ...(resource.shortNames !== undefined && { shortNames: resource.shortNames }),
      ...(resource.categories !== undefined && { categories: resource.categories }),
    }));
}
