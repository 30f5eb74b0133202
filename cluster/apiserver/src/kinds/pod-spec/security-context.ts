import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { PodSpec, SeccompProfile, SecurityContext } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { oneOf, optionalOneOf } from "../validation/field-rules.ts";
import { descending } from "../validation/path-text.ts";
import { repeated } from "../repeated.ts";

/** What is wrong with the rights of a container. */
export function validateSecurityContext(
  context: Decoded<SecurityContext> | undefined,
  path: FieldPath,
): FieldError[] {
  if (context === undefined) return [];
  const isClosed = context.allowPrivilegeEscalation === false;
  return [
    ...idErrors(context.runAsUser, path.child("runAsUser")),
    ...idErrors(context.runAsGroup, path.child("runAsGroup")),
    ...seccompErrors(context.seccompProfile, path.child("seccompProfile")),
    ...(isClosed && context.privileged === true
      ? [
          fieldInvalid(
            path,
            context,
            "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
          ),
        ]
      : []),
    ...(isClosed && context.capabilities?.add?.includes("CAP_SYS_ADMIN") === true
      ? [
          fieldInvalid(
            path,
            context,
            "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
          ),
        ]
      : []),
  ];
}

/** What is wrong with the rights that all containers of a pod share. */
export function validatePodSecurityContext(spec: Decoded<PodSpec>, path: FieldPath): FieldError[] {
  const { securityContext: context, shareProcessNamespace, hostPID } = spec;
  if (context === undefined) return [];
  return [
    ...idErrors(context.fsGroup, path.child("fsGroup")),
    ...idErrors(context.runAsUser, path.child("runAsUser")),
    ...idErrors(context.runAsGroup, path.child("runAsGroup")),
    ...(context.supplementalGroups ?? []).flatMap((group, i) =>
      idErrors(group, path.child("supplementalGroups").index(i)),
    ),
    ...(shareProcessNamespace === true && hostPID === true
      ? [
          fieldInvalid(
            path.child("shareProcessNamespace"),
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
          ),
        ]
      : []),
    ...sysctlErrors(spec, path.child("sysctls")),
    ...optionalOneOf(
      context.fsGroupChangePolicy,
      ["Always", "OnRootMismatch"],
      path.child("fsGroupChangePolicy"),
    ),
    ...seccompErrors(context.seccompProfile, path.child("seccompProfile")),
    ...optionalOneOf(
      context.supplementalGroupsPolicy,
      ["Merge", "Strict"],
      path.child("supplementalGroupsPolicy"),
    ),
  ];
}

function sysctlErrors(
  { securityContext, hostNetwork, hostIPC }: Decoded<PodSpec>,
  path: FieldPath,
): FieldError[] {
  const { sysctls = [] } = securityContext ?? {};
  const shared = (name: string): string | undefined => {
    // With a slash first, slashes are dots, and the other way round.
    const dotted = /^[^.]*\//u.test(name)
      ? name.replaceAll(/[./]/gu, (sign) => (sign === "." ? "/" : "."))
      : name;
    if (hostNetwork === true && dotted.startsWith("net.")) return "hostNetwork";
    return hostIPC === true && ipcSysctls.some((start) => dotted.startsWith(start)) ? "hostIPC" : undefined;
  };
  const second = repeated(sysctls, ({ name }) => name);
  return sysctls.flatMap(({ name = "" }, i) => {
    const at = path.index(i).child("name");
    if (name === "") return [fieldRequired(at)];
    if (name.length > 253 || !sysctlName.test(name)) {
      return [fieldInvalid(at, name, `must have at most 253 characters and match regex ${sysctlPattern}`)];
    }
    const host = shared(name);
    return [
      ...(second.has(i) ? [fieldDuplicate(at, name)] : []),
      ...(host === undefined ? [] : [fieldInvalid(at, name, `may not be specified when '${host}' is true`)]),
    ];
  });
}

/** What processes that talk by System V and POSIX queues share. */
const ipcSysctls = ["kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue."];

const sysctlPattern = String.raw`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;
const sysctlName = new RegExp(sysctlPattern);

function seccompErrors(profile: Decoded<SeccompProfile> | undefined, path: FieldPath): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const at = path.child("localhostProfile");
  return [
    ...((type ?? "") === ""
      ? [fieldRequired(path.child("type"), "type is required when seccompProfile is set")]
      : oneOf(type, ["Localhost", "RuntimeDefault", "Unconfined"], path.child("type"))),
    ...(type === "Localhost"
      ? localhostProfile === undefined
        ? [fieldRequired(at, "must be set when seccomp type is Localhost")]
        : descending(localhostProfile, at)
      : localhostProfile === undefined
        ? []
        : [fieldInvalid(at, profile, "can only be set when seccomp type is Localhost")]),
  ];
}

function idErrors(id: number | undefined, path: FieldPath): FieldError[] {
  if (id === undefined || (id >= 0 && id <= 2 ** 31 - 1)) return [];
  return [fieldInvalid(path, id, "must be between 0 and 2147483647, inclusive")];
}
