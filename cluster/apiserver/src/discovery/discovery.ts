import type { ApiRequest } from "@kedge/machinery";
import type { RemoteVersions } from "../aggregation/index.ts";
import type { Registry } from "../registry/types.ts";
import { noSuchResource } from "../response/status-response.ts";
import { acceptsAggregated } from "./accepts-aggregated.ts";
import { aggregatedDiscovery, aggregatedType } from "./aggregated.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./documents.ts";
import { etagResponse, hashedDocument, type HashedDocument } from "./etag-response.ts";
import { servedGroups, type ServedGroup } from "./served-groups.ts";
import type { Discovery, DiscoveryAnswer } from "./types.ts";

/** Tells what the registry and other servers serve. What is costly is made when first asked for, and anew when they change. */
export function createDiscovery(registry: Registry, remotes?: RemoteVersions): Discovery {
  let made: Snapshot | undefined;
  return (request) => {
    const path = pathOf(request);
    const [root, group, version, ...rest] = path;
    if ((root !== "api" && root !== "apis") || rest.length > 0) return undefined;
    const generation = `${registry.generation} ${remotes?.generation ?? 0}`;
    if (made?.generation !== generation) made = snapshotOf(generation, servedGroups(registry, remotes));
    if (root === "api") {
      return version === undefined ? answerCore(request, made, group) : undefined;
    }
    if (group === undefined) return answerGroups(request, made);
    const served = made.groups.find(({ name }) => name === group);
    if (served === undefined) return undefined;
    return version === undefined ? document(apiGroup(served)) : answerVersion(served, version);
  };
}

function pathOf({ path }: ApiRequest): readonly string[] {
  const [plain = ""] = path.split("?");
  return plain.replace(/\/$/u, "").split("/").slice(1);
}

interface Snapshot {
  readonly generation: string;
  readonly core: ServedGroup | undefined;
  /** All but the core group. */
  readonly groups: readonly ServedGroup[];
  readonly aggregatedCore: () => HashedDocument;
  readonly aggregatedGroups: () => HashedDocument;
}

function snapshotOf(generation: string, all: readonly ServedGroup[]): Snapshot {
  const core = all.find(({ name }) => name === "");
  const groups = all.filter(({ name }) => name !== "");
  return {
    generation,
    core,
    groups,
    aggregatedCore: once(() => hashedDocument(aggregatedDiscovery(core === undefined ? [] : [core]))),
    aggregatedGroups: once(() => hashedDocument(aggregatedDiscovery(groups))),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function answerCore(request: ApiRequest, snapshot: Snapshot, version: string | undefined) {
  if (version !== undefined) {
    return snapshot.core === undefined ? undefined : answerVersion(snapshot.core, version);
  }
  if (acceptsAggregated(request.headers)) return aggregated(request, snapshot.aggregatedCore());
  const host = request.headers["host"];
  return document(apiVersions(snapshot.core, typeof host === "string" ? host : "localhost"));
}

function answerGroups(request: ApiRequest, snapshot: Snapshot): DiscoveryAnswer {
  if (acceptsAggregated(request.headers)) return aggregated(request, snapshot.aggregatedGroups());
  return document(apiGroupList(snapshot.groups));
}

function answerVersion(group: ServedGroup, version: string): DiscoveryAnswer | undefined {
  const served = group.versions.find((each) => each.version === version);
  if (served !== undefined) return document(apiResourceList(group.name, served));
  // Kubernetes knows its own groups in every version, and custom ones only as they are served.
  const isCustom = group.versions.every(({ resources }) =>
    resources.every(({ custom }) => custom !== undefined),
  );
  if (isCustom) return undefined;
  throw noSuchResource();
}

function document(content: object): DiscoveryAnswer {
  return { type: "document", document: content };
}

function aggregated(request: ApiRequest, content: HashedDocument): DiscoveryAnswer {
  const headers = { "content-type": aggregatedType, "cache-control": "public", vary: "Accept" };
  return { type: "response", response: etagResponse(request, content, headers) };
}
