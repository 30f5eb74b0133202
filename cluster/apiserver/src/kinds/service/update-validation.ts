import { fieldInvalid, fieldPath, type FieldError } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import type { ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { validateBalancerClass } from "./validation.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";

/** What is wrong with changing a service so: its address stays, while its type needs one. */
export function validateServiceUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const now = decodedAs(Service, object).spec ?? {};
  const then = decodedAs(Service, previous).spec ?? {};
  return [...addressErrors(now, then), ...classErrors(now, then)];
}

function addressErrors(now: Decoded<ServiceSpec>, then: Decoded<ServiceSpec>): FieldError[] {
  if (now.type === "ExternalName" || then.type === "ExternalName") return [];
  const { clusterIPs = [] } = now;
  const { clusterIPs: known = [] } = then;
  const path = fieldPath("spec", "clusterIPs").index(0);
  if (clusterIPs.length === 0 && known.length > 0)
    return [fieldInvalid(path, null, "primary clusterIP can not be unset")];
  if (known.length === 0 || clusterIPs[0] === known[0]) return [];
  return [fieldInvalid(path, clusterIPs, "may not change once set")];
}

function classErrors(now: Decoded<ServiceSpec>, then: Decoded<ServiceSpec>): FieldError[] {
  const { loadBalancerClass } = now;
  const isChanged =
    now.type === "LoadBalancer" &&
    then.type === "LoadBalancer" &&
    loadBalancerClass !== then.loadBalancerClass;
  const path = fieldPath("spec", "loadBalancerClass");
  return [
    ...(isChanged ? [fieldInvalid(path, loadBalancerClass ?? null, "may not change once set")] : []),
    ...validateBalancerClass(now, path),
  ];
}
