import { containerCapabilities } from "./capabilities.ts";
import { containerMounts, type OciMount } from "./oci-mounts.ts";
import { defaultSeccomp } from "./seccomp-default.ts";
import type { SeccompProfile } from "./seccomp.ts";
import type { ContainerResources, ContainerSpec } from "./types.ts";

/** What the machine allows, and where the container's parts are. */
export interface OciContext {
  /** Where the container's root is mounted. */
  readonly root: string;
  readonly cgroup: string;
  /** Capabilities of this process. */
  readonly capabilities: ReadonlySet<string>;
  /** This process' own: without CAP_SYS_RESOURCE nothing can be below it. */
  readonly oomScoreAdjust: number;
  readonly canLimitSwap: boolean;
}

/** The part of the OCI runtime specification that Kedge writes. */
export interface OciConfig {
  readonly ociVersion: string;
  readonly process: OciProcess;
  readonly root: { readonly path: string; readonly readonly: boolean };
  readonly hostname: string;
  readonly mounts: readonly OciMount[];
  readonly linux: Readonly<Record<string, unknown>>;
}

/** A process in a container: its first one, or one that `exec` starts. */
export interface OciProcess {
  readonly terminal: boolean;
  readonly user: { readonly uid: number; readonly gid: number; readonly additionalGids: readonly number[] };
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  readonly capabilities: Readonly<Record<string, readonly string[]>>;
  readonly noNewPrivileges: boolean;
  readonly oomScoreAdj: number;
  readonly apparmorProfile?: string;
}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Hidden from containers: they tell of the machine, or change it. As containerd has them. */
const maskedPaths = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];
const readonlyPaths = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

/**
 * The OCI configuration of a container. Without a seccomp profile every call is allowed, which is Kubernetes' default.
 * Each container has an IPC namespace of its own; only the network is shared within a pod.
 */
export function ociConfig(spec: ContainerSpec, context: OciContext): OciConfig {
  const process = ociProcess(spec, context);
  const seccomp = seccompOf(spec, process);
  return {
    ociVersion: "1.0.2",
    process,
    root: { path: context.root, readonly: spec.readOnlyRootFilesystem },
    hostname: spec.hostname,
    mounts: containerMounts(spec),
    linux: {
      namespaces: [
        ...processNamespace(spec),
        { type: "ipc" },
        { type: "uts" },
        { type: "mount" },
        { type: "cgroup" },
        ...(spec.networkNamespace === undefined ? [] : [{ type: "network", path: spec.networkNamespace }]),
      ],
      cgroupsPath: context.cgroup,
      resources: resources(spec, context),
      // Any user may listen on port 80 of its own pod, as with containerd.
      ...(spec.networkNamespace === undefined
        ? {}
        : { sysctl: { "net.ipv4.ip_unprivileged_port_start": "0" } }),
      ...(spec.privileged ? {} : { maskedPaths, readonlyPaths }),
      ...(seccomp !== undefined && { seccomp }),
    },
  };
}

function processNamespace({ processNamespace: path }: ContainerSpec): readonly object[] {
  if (path === "host") return [];
  return [{ type: "pid", ...(path !== undefined && { path }) }];
}

function ociProcess(spec: ContainerSpec, context: OciContext): OciProcess {
  const { privileged, capabilities } = spec;
  const granted = containerCapabilities({ privileged, ...capabilities }, context.capabilities);
  const environment = {
    PATH: defaultPath,
    HOSTNAME: spec.hostname,
    ...(spec.tty ? { TERM: "xterm" } : {}),
    ...spec.environment,
  };
  return {
    terminal: spec.tty,
    user: spec.user,
    args: spec.command,
    env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    cwd: spec.workingDirectory === "" ? "/" : spec.workingDirectory,
    capabilities: { bounding: granted, effective: granted, permitted: granted },
    noNewPrivileges: spec.noNewPrivileges,
    oomScoreAdj: oomScoreAdjust(spec.resources, context),
    ...(spec.appArmorProfile !== undefined && { apparmorProfile: spec.appArmorProfile }),
  };
}

/** A privileged container is confined by nothing, whatever it asks for: so it is with the kubelet. */
function seccompOf(
  { privileged, seccomp }: ContainerSpec,
  { capabilities }: OciProcess,
): SeccompProfile | undefined {
  if (privileged) return undefined;
  return seccomp === "RuntimeDefault" ? defaultSeccomp(new Set(capabilities["bounding"])) : seccomp;
}

function oomScoreAdjust(wanted: ContainerResources, context: OciContext): number {
  const value = wanted.oomScoreAdjust ?? 0;
  return context.capabilities.has("CAP_SYS_RESOURCE") ? value : Math.max(value, context.oomScoreAdjust);
}

function resources(spec: ContainerSpec, context: OciContext): Readonly<Record<string, unknown>> {
  return {
    // runc allows the harmless devices (null, zero, random, terminals) by itself.
    devices: [{ allow: spec.privileged, access: "rwm" }],
    ...ociLimits(spec.resources, context),
  };
}

/** Limits as runc takes them, for a new container and for one that runs. */
export function ociLimits(
  { cpuShares, cpuQuotaMicroseconds, cpuPeriodMicroseconds, memoryLimitBytes }: ContainerResources,
  context: Pick<OciContext, "canLimitSwap">,
): Readonly<Record<string, unknown>> {
  const cpu = { shares: cpuShares, quota: cpuQuotaMicroseconds, period: cpuPeriodMicroseconds };
  const memory =
    memoryLimitBytes === undefined
      ? {}
      : // The limit of both together: no swap beside the memory, as the kubelet has it.
        { limit: memoryLimitBytes, ...(context.canLimitSwap ? { swap: memoryLimitBytes } : {}) };
  return { cpu, memory };
}
