import { containersText, namesOf, plural, quoted, settersText, sorted } from "./texts.ts";
import type { Check, CheckedContainer, CheckedPod, Violation } from "./types.ts";

/** Rules about what pods have of their node. */
export const hostChecks: readonly Check[] = [
  { id: "hostNamespaces", level: "baseline", versions: [[0, hostNamespaces]] },
  { id: "hostPathVolumes", level: "baseline", versions: [[0, hostPaths]] },
  { id: "hostPorts", level: "baseline", versions: [[0, hostPorts]] },
  { id: "hostProbesAndHostLifecycle", level: "baseline", versions: [[34, hostProbes]] },
  { id: "windowsHostProcess", level: "baseline", versions: [[0, hostProcess]] },
  {
    id: "sysctls",
    level: "baseline",
    versions: [
      [0, sysctls(0)],
      [27, sysctls(27)],
      [29, sysctls(29)],
      [32, sysctls(32)],
    ],
  },
];

function hostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const names = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name] === true);
  if (names.length === 0) return undefined;
  return { reason: "host namespaces", detail: names.map((name) => `${name}=true`).join(", ") };
}

function hostPaths({ spec }: CheckedPod): Violation | undefined {
  const names = (spec.volumes ?? [])
    .filter(({ hostPath }) => hostPath !== undefined)
    .map(({ name = "" }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural("volume", "volumes", names)} ${quoted(names)}` };
}

function portsOf({ ports = [] }: CheckedContainer): readonly string[] {
  return ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
}

function hostPorts(pod: CheckedPod): Violation | undefined {
  const names = namesOf(pod, (container) => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = sorted(pod.containers.flatMap(portsOf));
  const use = `${plural("uses", "use", names)} ${plural("hostPort", "hostPorts", ports)}`;
  return { reason: "hostPort", detail: `${containersText(names)} ${use} ${ports.join(", ")}` };
}

function hostProbes(pod: CheckedPod): Violation | undefined {
  const names = sorted(namesOf(pod, (container) => hostsOf(container).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sorted(pod.containers.flatMap(hostsOf));
  const what = plural("probe or lifecycle host", "probe or lifecycle hosts", hosts);
  return {
    reason: "probe or lifecycle host",
    detail: `${containersText(names)} ${plural("uses", "use", names)} ${what} ${quoted(hosts)}`,
  };
}

function hostsOf(container: CheckedContainer): readonly string[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  return handlers
    .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
    .flatMap((host) => (host === undefined || host === "" ? [] : [host]));
}

function hostProcess(pod: CheckedPod): Violation | undefined {
  const isPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const names = namesOf(pod, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!isPod && names.length === 0) return undefined;
  return {
    reason: "hostProcess",
    detail: `${settersText(isPod, names)} must not set securityContext.windowsOptions.hostProcess=true`,
  };
}

/** Which may be set, and since when. */
const safeSysctls: ReadonlyMap<string, number> = new Map([
  ["kernel.shm_rmid_forced", 0],
  ["net.ipv4.ip_local_port_range", 0],
  ["net.ipv4.tcp_syncookies", 0],
  ["net.ipv4.ping_group_range", 0],
  ["net.ipv4.ip_unprivileged_port_start", 0],
  ["net.ipv4.ip_local_reserved_ports", 27],
  ["net.ipv4.tcp_keepalive_time", 29],
  ["net.ipv4.tcp_fin_timeout", 29],
  ["net.ipv4.tcp_keepalive_intvl", 29],
  ["net.ipv4.tcp_keepalive_probes", 29],
  ["net.ipv4.tcp_rmem", 32],
  ["net.ipv4.tcp_wmem", 32],
]);

function sysctls(version: number): (pod: CheckedPod) => Violation | undefined {
  return ({ spec }) => {
    const set = (spec.securityContext?.sysctls ?? []).map(({ name = "" }) => name);
    const names = set.filter((name) => (safeSysctls.get(name) ?? Infinity) > version);
    return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") };
  };
}
