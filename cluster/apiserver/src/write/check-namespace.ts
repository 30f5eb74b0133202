import { forbidden, notFound, StatusError } from "@kedge/machinery";
import { keyFor } from "../storage/keys.ts";
import type { WriteScope } from "./scope.ts";

/** Throws unless the namespace that an object is to be created in is there and stays. */
export function checkNamespace({ core, resource }: WriteScope, namespace: string, name: string): void {
  const namespaces = core.registry.resource("", "v1", "namespaces");
  if (namespaces === undefined) return;
  const found = core.storage.cache(namespaces.storage).get(keyFor(namespaces, { name: namespace }));
  if (found === undefined) throw notFound(namespaces, namespace);
  const { object } = found.as(namespaces);
  if (object.metadata.deletionTimestamp === undefined) return;
  throw terminating(resource, namespace, name);
}

function terminating(resource: WriteScope["resource"], namespace: string, name: string): StatusError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbidden(resource, name, why);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
