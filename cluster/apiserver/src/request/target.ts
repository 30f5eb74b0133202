import { exactFieldOf, parseFieldSelector } from "@kedge/machinery";

/** What a path asks for, whether or not it exists: what authorisation decides about. */
export type Target = ResourceTarget | PathTarget;

/** A resource: `/api/v1/namespaces/default/pods/a/log`. */
export interface ResourceTarget {
  readonly type: "resource";
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource: string;
  /** Parts of the path after the subresource: of a proxied request. */
  readonly rest: readonly string[];
  readonly namespace: string;
  readonly name: string;
  /** The one name that a list or watch selects by its field selector: may it be seen, counts for that name. */
  readonly selectedName: string;
  /** The field selector of a list, a watch or a deletion of many, as it was sent; empty without one. */
  readonly fieldSelector: string;
  /** Whether the path is of the old form `/api/v1/watch/…`. */
  readonly legacyWatch: boolean;
}

/** Any other path: `/healthz`, `/apis/apps`. */
export interface PathTarget {
  readonly type: "path";
  readonly verb: string;
  readonly path: string;
}

/** Reads a method, path and query as Kubernetes does. */
export function targetOf(method: string, path: string, query: URLSearchParams): Target {
  const parts = splitPath(path);
  const [root, ...below] = parts;
  const groupLength = root === "api" ? 0 : root === "apis" ? 1 : -1;
  if (groupLength < 0 || below.length < groupLength + 2)
    return { type: "path", verb: method.toLowerCase(), path };
  const group = groupLength === 0 ? "" : (below[0] ?? "");
  const version = below[groupLength] ?? "";
  return resourceTarget(method, { group, version }, { parts: below.slice(groupLength + 1), query });
}

/** The parts of a path, decoded; empty ones at its ends do not count. */
export function splitPath(path: string): string[] {
  const parts = path.split("/");
  const first = parts.findIndex((part) => part !== "");
  const last = parts.findLastIndex((part) => part !== "");
  return first < 0 ? [] : parts.slice(first, last + 1).map(decodePart);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function resourceTarget(
  method: string,
  groupVersion: { group: string; version: string },
  { parts: all, query }: { parts: readonly string[]; query: URLSearchParams },
): ResourceTarget {
  const legacyWatch = all[0] === "watch" && all.length > 1;
  const parts = legacyWatch ? all.slice(1) : all;
  const inNamespace = parts[0] === "namespaces" && parts.length > 2 && !namespaceParts.has(parts[2] ?? "");
  const namespace = parts[0] === "namespaces" ? (parts[1] ?? "") : "";
  const [plural = "", name = "", subresource = "", ...rest] = inNamespace ? parts.slice(2) : parts;
  const verb = legacyWatch ? "watch" : verbOf(method, name, query);
  const isOfMany = ["list", "watch", "deletecollection"].includes(verb);
  const fieldSelector = isOfMany ? (query.get("fieldSelector") ?? "") : "";
  const selectedName = selectedBy(fieldSelector);
  const place = { plural, subresource, rest, namespace, name, selectedName, fieldSelector };
  return { type: "resource", verb, ...groupVersion, ...place, legacyWatch };
}

function selectedBy(fieldSelector: string): string {
  if (fieldSelector === "") return "";
  try {
    return exactFieldOf(parseFieldSelector(fieldSelector), "metadata.name") ?? "";
  } catch {
    return "";
  }
}

/** Subresources of namespaces themselves. */
const namespaceParts = new Set(["status", "finalize"]);

function verbOf(method: string, name: string, query: URLSearchParams): string {
  switch (method) {
    case "GET":
    case "HEAD":
      if (name !== "") return "get";
      return flag(query, "watch") ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === "" ? "deletecollection" : "delete";
    default:
      return "";
  }
}

/** A boolean parameter: anything but `false` and `0` is true, also nothing at all. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}
