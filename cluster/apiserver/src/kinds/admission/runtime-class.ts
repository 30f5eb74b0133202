import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ApiObject } from "../../registry/types.ts";
import { sentAs } from "../../registry/sent.ts";
import { podForbidden } from "./forbidden.ts";

/** Refuses new pods that want a runtime class, or what only one can give them: no class is served yet. */
export function admitRuntimeClass(object: ApiObject): void {
  const { runtimeClassName = "", overhead = {} } = sentAs(Pod, object).spec ?? {};
  if (runtimeClassName !== "")
    throw podForbidden(object, `pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`);
  if (Object.keys(overhead).length > 0)
    throw podForbidden(
      object,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
}
