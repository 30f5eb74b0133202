import type { ApiRequest, ApiResponse } from "@kedge/machinery";

/**
 * Answers requests about what is served: `/api`, `/apis`, `/api/v1`, `/apis/<group>`, `/apis/<group>/<version>`, with
 * or without a slash at the end. Undefined: there is no such path. Throws a 404 for a version that a built-in group lacks.
 */
export type Discovery = (request: ApiRequest) => DiscoveryAnswer | undefined;

/**
 * A `document` (APIVersions, APIGroupList, APIGroup, APIResourceList) is sent like any other object, in the form that
 * the request accepts; only JSON, YAML and protobuf do, no Table. A `response` (aggregated discovery, and 304) is
 * ready to be sent.
 */
export type DiscoveryAnswer =
  | { readonly type: "document"; readonly document: object }
  | { readonly type: "response"; readonly response: ApiResponse };
