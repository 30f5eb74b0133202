import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateAffinity } from "./affinity.ts";
import { validateContainers } from "./container.ts";
import { validateDnsConfig } from "./dns-config.ts";
import { named, oneOf, optionalOneOf, validLabels } from "../validation/field-rules.ts";
import { validateIp } from "../validation/ip-address.ts";
import { validatePodSecurityContext } from "./security-context.ts";
import { validateTolerations } from "./toleration.ts";
import { validateTopologySpread } from "./topology-spread.ts";
import { validateVolumes } from "./volume.ts";
import { repeated } from "../repeated.ts";

/** What is wrong with the spec of a pod, or of a template for pods. */
export function validatePodSpec(spec: Decoded<PodSpec>, path: FieldPath, podName?: string): FieldError[] {
  const volumes = validateVolumes(spec.volumes ?? [], path.child("volumes"), podName);
  return [
    ...(spec.terminationGracePeriodSeconds === undefined
      ? [fieldRequired(path.child("terminationGracePeriodSeconds"))]
      : []),
    ...volumes.errors,
    ...validateContainers(spec, volumes.known, path),
    ...hostNetworkErrors(spec, path.child("containers")),
    ...oneOf(spec.restartPolicy, ["Always", "OnFailure", "Never"], path.child("restartPolicy")),
    ...oneOf(spec.dnsPolicy, dnsPolicies, path.child("dnsPolicy")),
    ...validLabels(spec.nodeSelector, path.child("nodeSelector")),
    ...validatePodSecurityContext(spec, path.child("securityContext")),
    ...validateAffinity(spec.affinity, path.child("affinity")),
    ...validateDnsConfig(spec, path.child("dnsConfig")),
    ...gateErrors(spec, path),
    ...validateTopologySpread(spec.topologySpreadConstraints ?? [], path.child("topologySpreadConstraints")),
    ...hostUsersErrors(spec, path),
    ...nameErrors(spec, path),
    ...deadlineErrors(spec.activeDeadlineSeconds, path.child("activeDeadlineSeconds")),
    ...label(spec.hostname, path.child("hostname")),
    ...label(spec.subdomain, path.child("subdomain")),
    ...validateTolerations(spec.tolerations ?? [], path.child("tolerations")),
    ...hostAliasErrors(spec, path.child("hostAliases")),
    ...subdomain(spec.priorityClassName, path.child("priorityClassName")),
    ...(spec.runtimeClassName === undefined
      ? []
      : named(spec.runtimeClassName, validateDns1123Subdomain, path.child("runtimeClassName"))),
    ...optionalOneOf(
      spec.preemptionPolicy,
      ["PreemptLowerPriority", "Never"],
      path.child("preemptionPolicy"),
    ),
    ...osErrors(spec.os, path.child("os")),
  ];
}

function osErrors(os: Decoded<PodSpec>["os"], path: FieldPath): FieldError[] {
  if (os === undefined) return [];
  const { name = "" } = os;
  if (name === "") return [fieldRequired(path.child("name"))];
  return optionalOneOf(name, ["linux", "windows"], path);
}

const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

function hostNetworkErrors(spec: Decoded<PodSpec>, path: FieldPath): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return (spec.containers ?? []).flatMap((container, i) =>
    (container.ports ?? []).flatMap(({ hostPort = 0, containerPort = 0 }, j) => {
      // Templates have no host ports yet.
      if (hostPort === 0 || hostPort === containerPort) return [];
      const why = "must match `containerPort` when `hostNetwork` is true";
      return [fieldInvalid(path.index(i).child("ports").index(j).child("hostPort"), hostPort, why)];
    }),
  );
}

/** Users of its own and another namespace of the machine do not go together. The server spells the fields so. */
function hostUsersErrors(
  { hostUsers, hostNetwork, hostPID, hostIPC }: Decoded<PodSpec>,
  path: FieldPath,
): FieldError[] {
  if (hostUsers !== false) return [];
  return Object.entries({ hostNetwork, HostPID: hostPID, HostIPC: hostIPC })
    .filter(([, isShared]) => isShared === true)
    .map(([field]) => fieldForbidden(path.child(field), "when `hostUsers` is false"));
}

function gateErrors(
  { readinessGates = [], schedulingGates = [] }: Decoded<PodSpec>,
  path: FieldPath,
): FieldError[] {
  const gates = path.child("schedulingGates");
  const secondGates = repeated(schedulingGates, ({ name }) => name);
  return [
    ...readinessGates.flatMap(({ conditionType = "" }, i) =>
      named(
        conditionType,
        validateQualifiedName,
        path.child("readinessGates").index(i).child("conditionType"),
      ),
    ),
    ...schedulingGates.flatMap(({ name = "" }, i) => [
      ...named(name, validateQualifiedName, gates.index(i)),
      ...(secondGates.has(i) ? [fieldDuplicate(gates.index(i), name)] : []),
    ]),
  ];
}

function nameErrors({ serviceAccountName, nodeName }: Decoded<PodSpec>, path: FieldPath): FieldError[] {
  return [
    ...subdomain(serviceAccountName, path.child("serviceAccountName")),
    ...subdomain(nodeName, path.child("nodeName")),
  ];
}

function deadlineErrors(seconds: number | undefined, path: FieldPath): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= 2 ** 31 - 1)) return [];
  return [fieldInvalid(path, seconds, "must be between 1 and 2147483647, inclusive")];
}

function hostAliasErrors({ hostAliases = [] }: Decoded<PodSpec>, path: FieldPath): FieldError[] {
  return hostAliases.flatMap(({ ip = "", hostnames = [] }, i) => [
    ...validateIp(ip, path.index(i).child("ip")),
    ...hostnames.flatMap((name, j) =>
      named(name, validateDns1123Subdomain, path.index(i).child("hostnames").index(j)),
    ),
  ]);
}

function label(value: string | undefined, path: FieldPath): FieldError[] {
  return value === undefined || value === "" ? [] : named(value, validateDns1123Label, path);
}

function subdomain(value: string | undefined, path: FieldPath): FieldError[] {
  return value === undefined || value === "" ? [] : named(value, validateDns1123Subdomain, path);
}
