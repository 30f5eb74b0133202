import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  type FieldError,
} from "@kedge/machinery";
import type { ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { isIpv6, validateIp } from "../validation/ip-address.ts";
import { repeated } from "../repeated.ts";

/** What is wrong with a service's addresses and their families. */
export function validateClusterIps(spec: Decoded<ServiceSpec>): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const errors = [...firstErrors(spec), ...familyErrors(spec)];
  const addresses = addressErrors(spec);
  for (const error of addresses) errors.push(error);
  const path = fieldPath("spec", "clusterIPs");
  const { clusterIPs = [] } = spec;
  if (clusterIPs.length > 2) errors.push(fieldInvalid(path, clusterIPs, "may only hold up to 2 values"));
  if (addresses.length > 0) return errors;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(isIpv6)).size < 2)
    errors.push(fieldInvalid(path, clusterIPs, "may specify no more than one IP for each IP family"));
  if (clusterIPs[0] !== "None") for (const error of mismatches(spec)) errors.push(error);
  return errors;
}

function firstErrors({ clusterIP = "", clusterIPs = [] }: Decoded<ServiceSpec>): FieldError[] {
  const path = fieldPath("spec", "clusterIPs");
  if (clusterIP === "") {
    if (clusterIPs.length === 0) return [];
    return [fieldInvalid(path, clusterIPs, "must be empty when `clusterIP` is not specified")];
  }
  if (clusterIPs.length === 0) return [fieldRequired(path)];
  return clusterIPs[0] === clusterIP
    ? []
    : [fieldInvalid(path, clusterIPs, "first value must match `clusterIP`")];
}

function familyErrors({ ipFamilies = [], ipFamilyPolicy }: Decoded<ServiceSpec>): FieldError[] {
  const path = fieldPath("spec", "ipFamilies");
  const second = repeated(ipFamilies, (family) => family);
  const errors = ipFamilies.flatMap((family, i) => [
    ...(families.includes(family) ? [] : [fieldNotSupported(path.index(i), family, families)]),
    ...(second.has(i) ? [fieldDuplicate(path.index(i), family)] : []),
  ]);
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy))
    errors.push(fieldNotSupported(fieldPath("spec", "ipFamilyPolicy"), ipFamilyPolicy, policies));
  return errors;
}

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

function addressErrors({ clusterIPs = [] }: Decoded<ServiceSpec>): FieldError[] {
  const path = fieldPath("spec", "clusterIPs");
  return clusterIPs.flatMap((address, i) => {
    if (i > 0 || address !== "None") return validateIp(address, path.index(i));
    return clusterIPs.length > 1
      ? [fieldInvalid(path, clusterIPs, "'None' must be the first and only value")]
      : [];
  });
}

function mismatches({ clusterIPs = [], ipFamilies = [] }: Decoded<ServiceSpec>): FieldError[] {
  return clusterIPs.flatMap((address, i) => {
    const family = ipFamilies[i];
    if (family === undefined || (family === "IPv6") === isIpv6(address)) return [];
    const path = fieldPath("spec", "clusterIPs").index(i);
    return [fieldInvalid(path, address, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``)];
  });
}
