import { forbidden, type StatusError } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ApiObject } from "../../registry/types.ts";

/** A pod that admission refuses. */
export function podForbidden(pod: ApiObject, why: string): StatusError {
  return forbidden(Pod, pod.metadata.name ?? "", why);
}
