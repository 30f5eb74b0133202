import type { ApiPod } from "../model/types.ts";

/** The names that a pod has for itself. */
export interface PodNames {
  readonly hostname: string;
  /** `web-0.web.default.svc.cluster.local`; only pods with a subdomain have one. */
  readonly fullName: string | undefined;
}

/** The longest host name that Linux takes. */
const longest = 63;

/** A pod's host name, from its spec or its name. */
export function namesOf(
  pod: ApiPod,
  options: { readonly domain: string; readonly nodeName: string },
): PodNames {
  const { spec, metadata } = pod;
  if (spec?.hostNetwork === true) return { hostname: options.nodeName, fullName: undefined };
  const given = spec?.hostnameOverride ?? (spec?.hostname === "" ? undefined : spec?.hostname);
  const hostname = (given ?? metadata.name).slice(0, longest).replace(/[-.]+$/u, "");
  const { subdomain } = spec ?? {};
  if (subdomain === undefined || subdomain === "" || spec?.hostnameOverride !== undefined) {
    return { hostname, fullName: undefined };
  }
  const fullName = `${hostname}.${subdomain}.${metadata.namespace}.svc.${options.domain}`;
  return { hostname: spec?.setHostnameAsFQDN === true ? fullName : hostname, fullName };
}
