import { badRequest } from "@kedge/machinery";
import type { ApiObject } from "../registry/types.ts";
import type { WriteScope } from "./scope.ts";

/** Puts an object where the path says. Throws a 400 when it says something else. */
export function placeInNamespace(object: ApiObject, namespace: string, { resource }: WriteScope): void {
  const given = object.metadata.namespace ?? "";
  if (resource.scope === "Cluster") {
    delete object.metadata.namespace;
    return;
  }
  if (given !== "" && given !== namespace) throw badRequest(otherNamespace);
  object.metadata.namespace = namespace;
}

const otherNamespace =
  "the namespace of the provided object does not match the namespace sent on the request";
