import { fieldForbidden, fieldPath, fieldRequired, type FieldError } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import { validateDns1123Subdomain } from "@kedge/machinery";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { named, optionalOneOf } from "../validation/field-rules.ts";
import { validateIp } from "../validation/ip-address.ts";

/** What is wrong with the addresses that a load balancer is said to have. */
export function validateServiceStatus(object: StoredApiObject): FieldError[] {
  const { spec, status } = decodedAs(Service, object);
  const ingress = status?.loadBalancer?.ingress ?? [];
  const path = fieldPath("status", "loadBalancer", "ingress");
  if (spec?.type !== "LoadBalancer" && ingress.length > 0)
    return [fieldForbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  return ingress.flatMap(({ ip = "", ipMode, hostname = "" }, i) => {
    const item = path.index(i);
    const mode = item.child("ipMode");
    return [
      ...(ip === "" ? [] : validateIp(ip, item.child("ip"))),
      ...(ip !== "" && ipMode === undefined
        ? [fieldRequired(mode, "must be specified when `ip` is set")]
        : []),
      ...(ip === "" && ipMode !== undefined
        ? [fieldForbidden(mode, "may not be specified when `ip` is not set")]
        : optionalOneOf(ipMode, ["Proxy", "VIP"], mode)),
      ...(hostname === "" ? [] : named(hostname, validateDns1123Subdomain, item.child("hostname"))),
    ];
  });
}
