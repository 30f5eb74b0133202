import { containersOf, initContainersOf } from "./spec-of.ts";
import type { ApiPod, ContainerDefinition } from "./types.ts";

/** What a pod asks for that this node cannot do, in one text; undefined when there is nothing. */
export function unsupportedIn(pod: ApiPod): string | undefined {
  const { spec } = pod;
  const found = [
    ...(spec?.hostPID === true ? ["spec.hostPID"] : []),
    ...(spec?.hostIPC === true ? ["spec.hostIPC"] : []),
    ...(spec?.shareProcessNamespace === true ? ["spec.shareProcessNamespace"] : []),
    ...(spec?.hostUsers === false ? ["spec.hostUsers: false"] : []),
    ...(spec?.os?.name !== undefined && spec.os.name !== "linux" ? [`spec.os.name: ${spec.os.name}`] : []),
    ...((spec?.securityContext?.sysctls ?? []).length > 0 ? ["spec.securityContext.sysctls"] : []),
    ...[...initContainersOf(pod), ...containersOf(pod)].flatMap((container) => [
      ...unsupportedInContainer(container),
      // On the host's network every port is the host's, and the API server says so.
      ...(spec?.hostNetwork === true ? [] : hostPortsOf(container)),
    ]),
  ];
  return found.length === 0 ? undefined : `this node cannot do what the pod asks for: ${found.join(", ")}`;
}

function hostPortsOf({ name, ports = [] }: ContainerDefinition): string[] {
  return ports
    .filter(({ hostPort }) => hostPort !== undefined && hostPort !== 0)
    .map(({ hostPort }) => `hostPort ${hostPort} of ${name} (use a Service)`);
}

function unsupportedInContainer(container: ContainerDefinition): string[] {
  const { name, startupProbe, readinessProbe, livenessProbe, volumeDevices, restartPolicyRules } = container;
  return [
    ...[startupProbe, readinessProbe, livenessProbe].flatMap((probe) =>
      probe?.grpc === undefined ? [] : [`a grpc probe of ${name} (use httpGet, tcpSocket or exec)`],
    ),
    ...((volumeDevices ?? []).length > 0 ? [`volumeDevices of ${name}`] : []),
    ...((restartPolicyRules ?? []).some(({ action }) => action === "RestartAllContainers")
      ? [`restartPolicyRules RestartAllContainers of ${name}`]
      : []),
  ];
}
