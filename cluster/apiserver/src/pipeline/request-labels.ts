import type { ApiRequest } from "@kedge/machinery";
import type { RequestLabels } from "../metrics/index.ts";
import type { Resource } from "../registry/types.ts";
import { headerOf } from "../request/header.ts";
import type { ResourceTarget, Target } from "../request/target.ts";

/** What was asked for, as far as it is known. */
export interface Asked {
  readonly target: Target;
  /** Undefined: no such resource is served. */
  readonly resource: Resource | undefined;
  readonly dryRun: boolean;
}

/** What a request is counted by: names of what is served, and nothing that a stranger makes up. */
export function requestLabels(
  request: Pick<ApiRequest, "method" | "headers">,
  { target, resource, dryRun }: Asked,
): RequestLabels {
  if (target.type === "path" || resource === undefined)
    return { ...nothing, verb: methods.has(request.method) ? request.method : "other" };
  const { group, version, plural } = resource;
  const subresource = resource.subresources.has(target.subresource) ? target.subresource : "";
  const isConnect = resource.subresources.get(subresource)?.type === "connect" && subresource !== "log";
  return {
    verb: isConnect ? "CONNECT" : verbOf(request, target),
    group,
    version,
    resource: plural,
    subresource,
    scope: scopeOf(target),
    dryRun: dryRun ? "All" : "",
  };
}

const nothing = { group: "", version: "", resource: "", subresource: "", scope: "", dryRun: "" } as const;
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const verbs: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION",
};

function verbOf({ headers }: Pick<ApiRequest, "headers">, { verb }: ResourceTarget): string {
  if (verb === "patch" && headerOf(headers, "content-type").startsWith("application/apply-patch"))
    return "APPLY";
  return verbs[verb] ?? "other";
}

function scopeOf({ name, verb, namespace }: ResourceTarget): RequestLabels["scope"] {
  if (name !== "" || verb === "create") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}
