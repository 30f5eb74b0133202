import { apiVersionOf } from "@kedge/machinery";
import type { ConnectSubresource } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { scopeOf, type WriteCore } from "../write/scope.ts";
import { admissionOf } from "../write/write-admission.ts";

/** Asks admission of a connection, before it is known whether its object exists. Throws a `StatusError`. */
export async function admitConnection(
  core: WriteCore,
  request: ResourceRequest,
  { options, optionsKind }: Pick<ConnectSubresource, "options" | "optionsKind">,
): Promise<void> {
  if (options === undefined) return;
  const { group, version } = request.resource;
  const kind = { group, version, kind: optionsKind };
  const object = {
    ...options(request.query),
    kind: optionsKind,
    apiVersion: apiVersionOf(kind),
    metadata: {},
  };
  const admission = admissionOf(scopeOf(core, request, { dryRun: false }), "CONNECT", kind);
  await admission.admit(object, undefined);
  await admission.validate(object, undefined);
}
