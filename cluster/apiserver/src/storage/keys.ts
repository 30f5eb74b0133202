import type { ObjectKey } from "@kedge/machinery";
import type { Resource } from "../registry/types.ts";

/** Everything that the API server stores is below this. */
export const root = "/registry/";

/** Where an object is stored. */
export function keyFor(
  resource: Pick<Resource, "storage" | "scope">,
  { namespace, name }: ObjectKey,
): string {
  return `${prefixFor(resource, namespace)}${name}`;
}

/** Where the objects of a resource are stored: all of them, or those of a namespace. */
export function prefixFor(resource: Pick<Resource, "storage" | "scope">, namespace?: string): string {
  const all = `${root}${resource.storage}/`;
  return resource.scope === "Namespaced" && namespace !== undefined && namespace !== ""
    ? `${all}${namespace}/`
    : all;
}
