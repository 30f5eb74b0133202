import type { ApiHeaders } from "@kedge/machinery";
import { parseAccept } from "../request/accept.ts";
import { headerOf } from "../request/header.ts";

/**
 * Whether a request prefers aggregated discovery in the version that we have. The first form that we can serve wins;
 * versions of it that we lack are passed over.
 */
export function acceptsAggregated(headers: ApiHeaders): boolean {
  for (const { type, parameters } of parseAccept(headerOf(headers, "accept"))) {
    if (!parameters.has("as")) {
      if (plainTypes.has(type)) return false;
      continue;
    }
    const isAggregated =
      type === "application/json" &&
      parameters.get("as") === "APIGroupDiscoveryList" &&
      parameters.get("g") === "apidiscovery.k8s.io";
    if (isAggregated && parameters.get("v") === "v2") return true;
  }
  return false;
}

const plainTypes: ReadonlySet<string> = new Set([
  "*/*",
  "application/*",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
]);
