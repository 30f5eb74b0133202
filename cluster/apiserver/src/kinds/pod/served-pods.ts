import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Objects, Resource } from "../../registry/types.ts";

/** The resource that pods are served as. */
export function servedPods({ registry }: Objects): Resource {
  const resource = registry.byKind(Pod.group, Pod.kind, Pod.version);
  if (resource === undefined) throw new Error("the registry has no pods: register all built-in resources");
  return resource;
}
