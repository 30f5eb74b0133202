import { list, object, text, type JsonObject } from "./json-value.ts";

/** Group, version and kind as the API definition names them. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource that the API server serves at a path of its own. */
export interface ApiResource extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Names only, sorted. */
  readonly subresources: readonly string[];
}

/** Reads an `APIResourceList`, where subresources stand among the resources as `pods/log`. */
export function readResourceList(document: unknown): readonly ApiResource[] {
  const root = object(document, "resource list");
  const [group, version] = splitGroupVersion(text(root["groupVersion"], "groupVersion"));
  const entries = list(root["resources"], "resources", (item, where) => object(item, where));
  const names = entries.map((entry, index) => text(entry["name"], `resources[${index}].name`));
  return entries.flatMap((entry, index) => {
    const plural = names[index] ?? "";
    if (plural.includes("/")) return [];
    return {
      group,
      version,
      kind: text(entry["kind"], `${plural}.kind`),
      plural,
      singular: text(entry["singularName"], `${plural}.singularName`),
      scope: entry["namespaced"] === true ? "Namespaced" : "Cluster",
      verbs: list(entry["verbs"], `${plural}.verbs`, text),
      shortNames: list(entry["shortNames"], `${plural}.shortNames`, text),
      categories: list(entry["categories"], `${plural}.categories`, text),
      subresources: names
        .filter((name) => name.startsWith(`${plural}/`))
        .map((name) => name.slice(plural.length + 1))
        .toSorted(),
    };
  });
}

/** Reads an `APIGroupDiscoveryList` (aggregated discovery): all groups, all versions. */
export function readGroupDiscoveryList(document: unknown): readonly ApiResource[] {
  const root = object(document, "group discovery list");
  const groups = list(root["items"], "items", (item, where) => {
    const entry = object(item, where);
    const group = text(object(entry["metadata"], `${where}.metadata`)["name"], `${where}.metadata.name`);
    const versions = list(entry["versions"], `${where}.versions`, (version, at) =>
      readVersion(object(version, at), group),
    );
    return versions.flat();
  });
  return groups.flat();
}

function readVersion(entry: JsonObject, group: string): readonly ApiResource[] {
  const version = text(entry["version"], `${group}: version`);
  return list(entry["resources"], `${group}/${version}`, (item, where) => {
    const resource = object(item, where);
    const plural = text(resource["resource"], `${where}.resource`);
    const scope = text(resource["scope"], `${where}.scope`);
    if (scope !== "Namespaced" && scope !== "Cluster") {
      throw new TypeError(`${where}.scope: must be Namespaced or Cluster, not ${scope}`);
    }
    const subresources = list(resource["subresources"], `${where}.subresources`, (sub, at) =>
      text(object(sub, at)["subresource"], `${at}.subresource`),
    );
    return {
      group,
      version,
      kind: text(object(resource["responseKind"], `${where}.responseKind`)["kind"], `${where}.kind`),
      plural,
      singular: text(resource["singularResource"], `${where}.singularResource`),
      scope,
      verbs: list(resource["verbs"], `${where}.verbs`, text),
      shortNames: list(resource["shortNames"], `${where}.shortNames`, text),
      categories: list(resource["categories"], `${where}.categories`, text),
      subresources: subresources.toSorted(),
    };
  });
}

function splitGroupVersion(groupVersion: string): readonly [group: string, version: string] {
  const slash = groupVersion.indexOf("/");
  return slash < 0 ? ["", groupVersion] : [groupVersion.slice(0, slash), groupVersion.slice(slash + 1)];
}
