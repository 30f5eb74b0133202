import { deepEqual, fieldInvalid, fieldPath, type FieldError, type StatusError } from "@kedge/machinery";
import type { ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateClusterIps } from "./cluster-ips.ts";
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
  const wrong = validateClusterIps(spec);
  if (wrong.length > 0) throw refuse(wrong);
  const miscounted = [...releaseErrors(spec, before), ...countErrors(spec)];
  if (miscounted.length > 0) throw refuse(miscounted);
  spec.ipFamilies ??= before?.ipFamilies === undefined ? ["IPv4"] : [...before.ipFamilies];
  if (isOpen) {
    // Nothing is allocated for it, so its endpoints may be of families that the cluster does not have.
    if (spec.ipFamilies.length < 2 && spec.ipFamilyPolicy !== "SingleStack")
      spec.ipFamilies = spec.ipFamilies[0] === "IPv4" ? ["IPv4", "IPv6"] : ["IPv6", "IPv4"];
    return;
  }
  const errors = familyErrors(spec);
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

/** Who leaves the second address or family out has to say that there shall be one only. */
function releaseErrors(
  { clusterIPs, ipFamilies, ipFamilyPolicy }: Decoded<ServiceSpec>,
  before: Decoded<ServiceSpec> | undefined,
): FieldError[] {
  if (before === undefined || ipFamilyPolicy === "SingleStack") return [];
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
