import type { WebhookClientConfig } from "@kedge/machinery/kinds/admissionregistration/v1";
import type { Decoded } from "../registry/decoded.ts";

/** Where a webhook is. Equal ones share connections. */
export interface Endpoint {
  /** `https://example.com/path`; of a Service, its name in the cluster. */
  readonly url: string;
  readonly service?: { readonly namespace: string; readonly name: string; readonly port: number };
  /** PEM; undefined for those that this machine trusts. */
  readonly authority: string | undefined;
}

/** Where the configuration of a webhook leads. */
export function endpointOf({ url = "", service, caBundle = "" }: Decoded<WebhookClientConfig>): Endpoint {
  const authority = caBundle === "" ? undefined : Buffer.from(caBundle, "base64").toString("utf8");
  if (service === undefined) return { url, authority };
  const { name = "", namespace = "", port = 443, path = "" } = service;
  return {
    url: `https://${name}.${namespace}.svc:${port}${path.startsWith("/") ? path : `/${path}`}`,
    service: { namespace, name, port },
    authority,
  };
}
