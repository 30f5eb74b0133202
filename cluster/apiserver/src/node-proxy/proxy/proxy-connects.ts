import { badRequest, type ApiRequest, type ApiResponse, type Clock } from "@kedge/machinery";
import type { ConnectSubresource } from "../../registry/types.ts";
import { bytesResponse } from "../../response/responses.ts";
import type { NodeProxyOptions, ProxyConnects } from "../types.ts";
import { forward, type ProxyPlace } from "./forward.ts";
import { locateNode, locatePod, locateService, type Locate } from "./locate.ts";
import { parseProxiedName, type ProxiedName } from "./proxied-name.ts";
import { cutProxiedPath } from "./proxied-path.ts";

/** The ways through the API server to pods, services and nodes. Plain requests only: connections that are upgraded have exec, attach and port-forward. */
export function proxyConnects(options: NodeProxyOptions): ProxyConnects {
  return {
    pods: proxyTo("pod", locatePod, options),
    services: proxyTo("service", locateService, options),
    nodes: proxyTo("node", locateNode, options),
  };
}

function proxyTo(
  what: keyof typeof optionsKinds,
  locate: Locate,
  options: NodeProxyOptions,
): ConnectSubresource {
  const parse = (name: string): ProxiedName => {
    const parsed = parseProxiedName(name);
    if (parsed === undefined) throw badRequest(`invalid ${what} request ${JSON.stringify(name)}`);
    return parsed;
  };
  return {
    type: "connect",
    verbs: ["create", "delete", "get", "patch", "update"],
    optionsKind: optionsKinds[what],
    options: (query) => ({ path: query.get("path") ?? "" }),
    objectName: (name) => parse(name).name,
    connect: (target, request) => {
      const place = (): ProxyPlace => locate(target, parse(target.name), options);
      return proxied(request, { place, clock: options.clock });
    },
  };
}

const optionsKinds = {
  pod: "PodProxyOptions",
  service: "ServiceProxyOptions",
  node: "NodeProxyOptions",
} as const;

async function proxied(
  request: ApiRequest,
  { place, clock }: { readonly place: () => ProxyPlace; readonly clock: Clock },
): Promise<ApiResponse> {
  const [path = "", ...query] = request.path.split("?");
  const suffix = query.length === 0 ? "" : `?${query.join("?")}`;
  const { prefix, below } = cutProxiedPath(path);
  const to = place();
  // Relative links of what is shown lead below it only so.
  if (below === "") return bytesResponse(301, "", { location: `${prefix}/${suffix}` });
  return await forward(request, to, { path: `${below}${suffix}`, prefix, clock });
}
