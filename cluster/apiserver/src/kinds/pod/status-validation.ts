import { fieldPath, type FieldError } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { validateIp } from "../validation/ip-address.ts";

/** What is wrong with the addresses that a pod is said to have. */
export function validatePodStatus(object: StoredApiObject): FieldError[] {
  const { podIPs = [] } = decodedAs(Pod, object).status ?? {};
  return podIPs.flatMap(({ ip = "" }, i) => validateIp(ip, fieldPath("status", "podIPs").index(i)));
}
