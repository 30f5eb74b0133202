import { Pod } from "@kedge/machinery/kinds/core/v1";
import { decodedAs } from "../registry/decoded.ts";
import type { StoredApiObject } from "../registry/types.ts";

/** What a row says of its object besides the cells: pods that are done are marked. */
export function rowConditions(object: StoredApiObject): { readonly conditions?: readonly unknown[] } {
  if (object.kind !== "Pod" || object.apiVersion !== "v1") return {};
  const phase = decodedAs(Pod, object).status?.phase ?? "";
  const message = messages.get(phase);
  if (message === undefined) return {};
  return { conditions: [{ type: "Completed", status: "True", reason: phase, message }] };
}

const messages: ReadonlyMap<string, string> = new Map([
  ["Succeeded", "The pod has completed successfully."],
  ["Failed", "The pod failed."],
]);
