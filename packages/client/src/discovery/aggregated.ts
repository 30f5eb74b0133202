import type { Scope } from "@kedge/machinery";
import type { ServedGroupVersion, ServedKind } from "./types.ts";

/** What to accept: the aggregated form first, then the one that every server speaks. */
export const aggregatedAccept = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

/** Whether an answer is in the aggregated form: only its content type tells. */
export function isAggregated(contentType: string | undefined): boolean {
  return contentType?.includes("as=APIGroupDiscoveryList") === true;
}

/** The form of `/api` and `/apis` since Kubernetes 1.26: everything in two answers. */
export interface AggregatedList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly AggregatedResource[];
    }[];
  }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind?: string };
  readonly scope: Scope;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

/** Reads an aggregated answer. */
export function readAggregated(list: AggregatedList): ServedGroupVersion[] {
  return (list.items ?? []).flatMap((item) => {
    const group = item.metadata?.name ?? "";
    return (item.versions ?? []).map(({ version, freshness, resources = [] }) => ({
      group,
      version,
      kinds: resources.flatMap((resource) => servedKind(group, version, resource) ?? []),
      current: freshness !== "Stale",
    }));
  });
}

function servedKind(group: string, version: string, resource: AggregatedResource): ServedKind | undefined {
  const kind = resource.responseKind?.kind;
  // Some resources are only a home for subresources: they have no kind and no verbs of their own.
  if (kind === undefined || kind === "") return undefined;
  return {
    group,
    version,
    kind,
    plural: resource.resource,
    scope: resource.scope,
    verbs: resource.verbs ?? [],
    subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
    ...(resource.singularResource !== undefined && { singular: resource.singularResource }),
    ...(resource.shortNames !== undefined && { shortNames: resource.shortNames }),
    ...(resource.categories !== undefined && { categories: resource.categories }),
  };
}
