import { parseIpv4, type DeepReadonly } from "@kedge/machinery";
import type { Volume } from "@kedge/machinery/kinds/core/v1";
import { containersOf, initContainersOf } from "./spec-of.ts";
import type { ApiPod, ContainerDefinition, EphemeralDefinition } from "./types.ts";

/**
 * What a pod asks for that this node cannot do, in one text; undefined when there is nothing. What is in the API and
 * neither done nor named here is a defect: `pod-fields.test.ts` goes through all of it.
 */
export function unsupportedIn(pod: ApiPod): string | undefined {
  const { spec } = pod;
  const found = [
    ...inSpec(pod),
    ...[...initContainersOf(pod), ...containersOf(pod)].flatMap((container) => [
      ...inContainer(container),
      ...hostAddressesOf(container),
    ]),
    ...(spec?.volumes ?? []).flatMap(inVolume),
  ];
  return found.length === 0 ? undefined : `this node cannot do what the pod asks for: ${found.join(", ")}`;
}

/** What an ephemeral container asks for that this node cannot do; undefined when there is nothing. */
export function unsupportedInEphemeral(container: EphemeralDefinition): string | undefined {
  const found = inContainer(container);
  return found.length === 0
    ? undefined
    : `this node cannot do what the container asks for: ${found.join(", ")}`;
}

function inSpec({ spec }: ApiPod): string[] {
  const { securityContext, resources } = spec ?? {};
  return [
    ...(spec?.hostIPC === true ? ["spec.hostIPC"] : []),
    ...(spec?.shareProcessNamespace === true ? ["spec.shareProcessNamespace"] : []),
    ...(spec?.hostUsers === false ? ["spec.hostUsers: false"] : []),
    ...(spec?.os?.name !== undefined && spec.os.name !== "linux" ? [`spec.os.name: ${spec.os.name}`] : []),
    ...(isGiven(spec?.runtimeClassName) ? [`spec.runtimeClassName: ${spec?.runtimeClassName}`] : []),
    ...(isGiven(spec?.resourceClaims) ? ["spec.resourceClaims"] : []),
    ...(isGiven(resources?.limits) || isGiven(resources?.requests) || isGiven(resources?.claims)
      ? ["spec.resources (set those of the containers)"]
      : []),
    ...(isGiven(securityContext?.sysctls) ? ["spec.securityContext.sysctls"] : []),
    ...(isGiven(securityContext?.seLinuxOptions) ? ["spec.securityContext.seLinuxOptions"] : []),
    ...(isGiven(securityContext?.windowsOptions) ? ["spec.securityContext.windowsOptions"] : []),
  ];
}

/** Pods have IPv4 addresses only. */
function hostAddressesOf({ name, ports = [] }: ContainerDefinition): string[] {
  return ports
    .filter(({ hostIP = "" }) => hostIP !== "" && parseIpv4(hostIP) === undefined)
    .map(({ hostIP }) => `hostIP ${hostIP} of ${name} (nodes have IPv4 addresses)`);
}

function inContainer(container: ContainerDefinition): string[] {
  const { name, lifecycle, restartPolicyRules } = container;
  return [
    ...[lifecycle?.postStart, lifecycle?.preStop].flatMap((hook) =>
      hook?.tcpSocket === undefined ? [] : [`a tcpSocket hook of ${name} (use httpGet, exec or sleep)`],
    ),
    ...(isGiven(container.volumeDevices) ? [`volumeDevices of ${name}`] : []),
    ...((restartPolicyRules ?? []).some(({ action }) => action === "RestartAllContainers")
      ? [`restartPolicyRules RestartAllContainers of ${name}`]
      : []),
    ...(container.env ?? []).flatMap((variable) =>
      variable.valueFrom?.fileKeyRef === undefined ? [] : [`fileKeyRef of ${name}'s env ${variable.name}`],
    ),
    ...inResources(container),
    ...inSecurityContext(container),
    ...inVolumeMounts(container),
  ];
}

const knownResources: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

function inResources({ name, resources }: ContainerDefinition): string[] {
  const asked = new Set([...Object.keys(resources?.limits ?? {}), ...Object.keys(resources?.requests ?? {})]);
  return [
    ...[...asked].filter((one) => !knownResources.has(one)).map((one) => `${one} of ${name}'s resources`),
    ...(isGiven(resources?.claims) ? [`resources.claims of ${name}`] : []),
  ];
}

function inSecurityContext({ name, securityContext }: ContainerDefinition): string[] {
  const { procMount, seLinuxOptions, windowsOptions } = securityContext ?? {};
  return [
    ...(isGiven(procMount) && procMount !== "Default" ? [`procMount ${procMount} of ${name}`] : []),
    ...(isGiven(seLinuxOptions) ? [`seLinuxOptions of ${name}`] : []),
    ...(isGiven(windowsOptions) ? [`windowsOptions of ${name}`] : []),
  ];
}

function inVolumeMounts({ name, volumeMounts }: ContainerDefinition): string[] {
  return (volumeMounts ?? []).flatMap(({ mountPath, mountPropagation, recursiveReadOnly }) => [
    ...(isGiven(mountPropagation) && mountPropagation !== "None"
      ? [`mountPropagation ${mountPropagation} of ${name}'s ${mountPath}`]
      : []),
    ...(recursiveReadOnly === "Enabled" ? [`recursiveReadOnly of ${name}'s ${mountPath}`] : []),
  ]);
}

const knownVolumes: ReadonlySet<string> = new Set([
  "configMap",
  "downwardAPI",
  "emptyDir",
  "hostPath",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);
const knownSources: ReadonlySet<string> = new Set([
  "configMap",
  "downwardAPI",
  "secret",
  "serviceAccountToken",
]);
const knownMedia: ReadonlySet<string> = new Set(["", "Memory"]);

function inVolume(volume: DeepReadonly<Volume>): string[] {
  const { name, emptyDir, projected } = volume;
  const types = Object.keys(volume).filter((key) => key !== "name" && !knownVolumes.has(key));
  const sources = (projected?.sources ?? [])
    .flatMap((source) => Object.keys(source))
    .filter((key) => !knownSources.has(key));
  return [
    ...types.map((type) => `the ${type} volume ${name}`),
    ...sources.map((type) => `the ${type} source of the projected volume ${name}`),
    ...(knownMedia.has(emptyDir?.medium ?? "")
      ? []
      : [`medium ${emptyDir?.medium} of the emptyDir volume ${name}`]),
  ];
}

/** Whether there is anything in it: an empty list, text or object asks for nothing. */
function isGiven(value: string | object | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}
