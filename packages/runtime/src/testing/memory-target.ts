import { badRequest } from "@kedge/machinery";

/** What a request's path names. */
export interface Target {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Names the collection over all namespaces. */
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

const pattern =
  /^\/(?:api\/(?<core>v1)|apis\/(?<group>[^/]+)\/(?<version>[^/]+))(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<subresource>[^/]+))?)?$/u;

/** Reads the path of a request. Namespaces themselves are not served. */
export function targetOf(path: string): Target {
  const groups = pattern.exec(path)?.groups;
  if (groups === undefined) throw badRequest(`no resource at ${path}`);
  const { core, group = "", plural = "", namespace, name, subresource } = groups;
  const version = core ?? groups["version"] ?? "";
  return {
    group,
    version,
    plural,
    collection: `${group}/${version}/${plural}`,
    namespace,
    name,
    subresource,
  };
}
