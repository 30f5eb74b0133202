import { VirtualClock } from "@kedge/machinery";
import type { Resource } from "../../registry/types.ts";
import { negotiate } from "../negotiate.ts";
import type { ResourceRequest } from "../resource-request.ts";

/** A request for a resource, for one object of it when it is named, that accepts what it says. */
export function resourceRequest(
  resource: Resource,
  {
    accept = "",
    pretty = false,
    ...more
  }: Partial<ResourceRequest> & { accept?: string; pretty?: boolean } = {},
): ResourceRequest {
  return {
    resource,
    subresource: "",
    namespace: "ns",
    name: "",
    user: { name: "tester", groups: [] },
    query: new URLSearchParams(),
    headers: {},
    body: new Uint8Array(),
    form: negotiate({ accept, streams: false, watch: false, transforms: "all", custom: false, pretty }),
    clock: new VirtualClock(),
    signal: undefined,
    checkCreate: () => undefined,
    warn: () => undefined,
    pause: () => Promise.resolve(),
    ...more,
  };
}
