import type { Status } from "@kedge/machinery";
import type { StoredApiObject } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { BodyReaders } from "../decode/parse-body.ts";
import { scopeOf, type WriteCore } from "../write/scope.ts";
import { deleteObject } from "../write/delete-object.ts";
import { deleteOptions } from "./delete-options.ts";

/** DELETE of one object: the object while it waits (and for some kinds always), else a Status. Throws a `StatusError`. */
export async function remove(
  core: WriteCore & BodyReaders,
  request: ResourceRequest,
): Promise<StoredApiObject | Status> {
  const { resource, namespace, name } = request;
  const { preferences, dryRun } = await deleteOptions(core, request);
  const { object, gone } = await deleteObject(scopeOf(core, request, { dryRun }), {
    key: { namespace, name },
    preferences,
  });
  if (!gone || resource.strategy.deleteAnswersObject === true) return object;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(resource.group !== "" && { group: resource.group }),
      kind: resource.plural,
      ...(object.metadata.uid !== undefined && { uid: object.metadata.uid }),
    },
  };
}
