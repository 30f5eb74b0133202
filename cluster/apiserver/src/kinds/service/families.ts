import { deepEqual, fieldInvalid, fieldPath, type FieldError, type StatusError } from "@kedge/machinery";
import type { ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateClusterIps } from "./cluster-ips.ts";
import { isIpv6 } from "../validation/ip-address.ts";
import { needsAddress } from "./service-fields.ts";

/** Fills in the families of a service's addresses. The cluster has IPv4 only. */
export function initFamilies(
  spec: Decoded<ServiceSpec>,
  before: Decoded<ServiceSpec> | undefined,
  refuse: (errors: readonly FieldError[]) => StatusError,
): void {
  if (!needsAddress(spec) || isSamePreference(spec, before)) return;
  const isOpen = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (isOpen ? "RequireDualStack" : "SingleStack");
  refuseAny(validateClusterIps(spec), refuse);
  const released = before === undefined ? [] : releaseErrors(spec, before);
  refuseAny([...released, ...countErrors(spec), ...inferFamilies(spec)], refuse);
  if (!isOpen) refuseAny(familyErrors(spec), refuse);
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = ["IPv4"];
  // Nothing is allocated for an open one, so its endpoints may be of families that the cluster does not have.
  if (isOpen && spec.ipFamilies?.length === 1 && spec.ipFamilyPolicy !== "SingleStack")
    spec.ipFamilies = spec.ipFamilies[0] === "IPv4" ? ["IPv4", "IPv6"] : ["IPv6", "IPv4"];
}

function refuseAny(
  errors: readonly FieldError[],
  refuse: (errors: readonly FieldError[]) => StatusError,
): void {
  if (errors.length > 0) throw refuse(errors);
}

/** A service that prefers two families stays as it is, unless its writer changes what it says about them. */
function isSamePreference(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec> | undefined): boolean {
  const prefers = "PreferDualStack";
  return (
    before !== undefined &&
    spec.type === before.type &&
    spec.ipFamilyPolicy === prefers &&
    (before.ipFamilyPolicy ?? prefers) === prefers &&
    deepEqual(spec.clusterIPs ?? [], before.clusterIPs ?? []) &&
    deepEqual(spec.ipFamilies ?? [], before.ipFamilies ?? [])
  );
}

/**
 * A service that had two families gives the second back when it is to have one only: its writer need not know what the
 * server filled in. Who leaves the second address or family out has to say that there shall be one only.
 */
function releaseErrors(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec>): FieldError[] {
  const { clusterIPs, ipFamilies, ipFamilyPolicy } = spec;
  if (ipFamilyPolicy === "SingleStack") {
    if (deepEqual(clusterIPs, before.clusterIPs)) clusterIPs?.splice(1);
    if (deepEqual(ipFamilies, before.ipFamilies)) ipFamilies?.splice(1);
    return [];
  }
  const path = fieldPath("spec", "ipFamilyPolicy");
  const text = "must be 'SingleStack' to release the secondary";
  return [
    ...(isFewer(clusterIPs, before.clusterIPs)
      ? [fieldInvalid(path, ipFamilyPolicy, `${text} cluster IP`)]
      : []),
    ...(isFewer(ipFamilies, before.ipFamilies)
      ? [fieldInvalid(path, ipFamilyPolicy, `${text} IP family`)]
      : []),
  ];
}

function isFewer(now: readonly string[] = [], before: readonly string[] = []): boolean {
  return now.length > 0 && now.length < before.length;
}

function countErrors({
  clusterIPs = [],
  ipFamilies = [],
  ipFamilyPolicy,
}: Decoded<ServiceSpec>): FieldError[] {
  if (ipFamilyPolicy !== "SingleStack") return [];
  const path = fieldPath("spec", "ipFamilyPolicy");
  const text = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  return [
    ...(clusterIPs.length === 2
      ? [fieldInvalid(path, ipFamilyPolicy, `${text} cluster IPs are specified`)]
      : []),
    ...(ipFamilies.length === 2
      ? [fieldInvalid(path, ipFamilyPolicy, `${text} IP families are specified`)]
      : []),
  ];
}

/** An address tells its family, where the writer has not. */
function inferFamilies(spec: Decoded<ServiceSpec>): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const errors: FieldError[] = [];
  for (const [i, address] of clusterIPs.entries()) {
    if (address === "None") break;
    if (i < ipFamilies.length) continue;
    if (isIpv6(address)) {
      const path = fieldPath("spec", "clusterIPs").index(i);
      errors.push(fieldInvalid(path, clusterIPs, "IPv6 is not configured on this cluster"));
    } else spec.ipFamilies = [...(spec.ipFamilies ?? []), "IPv4"];
  }
  return errors;
}

function familyErrors({ ipFamilies = [], ipFamilyPolicy }: Decoded<ServiceSpec>): FieldError[] {
  const errors: FieldError[] = [];
  if (ipFamilyPolicy === "RequireDualStack") {
    const why = "this cluster is not configured for dual-stack services";
    errors.push(fieldInvalid(fieldPath("spec", "ipFamilyPolicy"), ipFamilyPolicy, why));
  }
  for (const [i, family] of ipFamilies.entries())
    if (family !== "IPv4")
      errors.push(
        fieldInvalid(fieldPath("spec", "ipFamilies").index(i), family, "not configured on this cluster"),
      );
  return errors;
}
