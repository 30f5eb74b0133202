import { badRequest } from "@kedge/machinery";
import type { ApiObject } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";

/** Throws unless an object that is written is the one that the path names; says where it is, if it does not. */
export function checkNames({ resource, namespace, name }: ResourceRequest, { metadata }: ApiObject): void {
  const { name: sent = "", namespace: sentNamespace = "" } = metadata;
  if (sentNamespace !== "" && sentNamespace !== (resource.scope === "Namespaced" ? namespace : "")) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (resource.scope === "Namespaced") metadata.namespace = namespace;
  else delete metadata.namespace;
  if (sent === "")
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (sent !== name)
    throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
}
