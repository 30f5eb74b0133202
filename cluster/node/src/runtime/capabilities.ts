import { readFileSync } from "node:fs";

/** All that Linux knows, by number. */
const names = [
  "CAP_CHOWN",
  "CAP_DAC_OVERRIDE",
  "CAP_DAC_READ_SEARCH",
  "CAP_FOWNER",
  "CAP_FSETID",
  "CAP_KILL",
  "CAP_SETGID",
  "CAP_SETUID",
  "CAP_SETPCAP",
  "CAP_LINUX_IMMUTABLE",
  "CAP_NET_BIND_SERVICE",
  "CAP_NET_BROADCAST",
  "CAP_NET_ADMIN",
  "CAP_NET_RAW",
  "CAP_IPC_LOCK",
  "CAP_IPC_OWNER",
  "CAP_SYS_MODULE",
  "CAP_SYS_RAWIO",
  "CAP_SYS_CHROOT",
  "CAP_SYS_PTRACE",
  "CAP_SYS_PACCT",
  "CAP_SYS_ADMIN",
  "CAP_SYS_BOOT",
  "CAP_SYS_NICE",
  "CAP_SYS_RESOURCE",
  "CAP_SYS_TIME",
  "CAP_SYS_TTY_CONFIG",
  "CAP_MKNOD",
  "CAP_LEASE",
  "CAP_AUDIT_WRITE",
  "CAP_AUDIT_CONTROL",
  "CAP_SETFCAP",
  "CAP_MAC_OVERRIDE",
  "CAP_MAC_ADMIN",
  "CAP_SYSLOG",
  "CAP_WAKE_ALARM",
  "CAP_BLOCK_SUSPEND",
  "CAP_AUDIT_READ",
  "CAP_PERFMON",
  "CAP_BPF",
  "CAP_CHECKPOINT_RESTORE",
] as const;

/** What containers get that ask for nothing: the same as with containerd. */
const defaults: ReadonlySet<string> = new Set([
  "CAP_CHOWN",
  "CAP_DAC_OVERRIDE",
  "CAP_FSETID",
  "CAP_FOWNER",
  "CAP_MKNOD",
  "CAP_NET_RAW",
  "CAP_SETGID",
  "CAP_SETUID",
  "CAP_SETFCAP",
  "CAP_SETPCAP",
  "CAP_NET_BIND_SERVICE",
  "CAP_SYS_CHROOT",
  "CAP_KILL",
  "CAP_AUDIT_WRITE",
]);

/** What a container asks for. */
export interface CapabilityRequest {
  readonly privileged: boolean;
  readonly add: readonly string[];
  readonly drop: readonly string[];
}

/** The capabilities of a container, none that the node itself lacks: giving one away needs having it. */
export function containerCapabilities(
  { privileged, add, drop }: CapabilityRequest,
  own: ReadonlySet<string>,
): readonly string[] {
  const added = new Set(add.map(fullName));
  const dropped = new Set(drop.map(fullName));
  const wanted = (name: string): boolean => {
    if (privileged || added.has("CAP_ALL")) return !dropped.has(name) || added.has(name);
    if (added.has(name)) return true;
    return defaults.has(name) && !dropped.has("CAP_ALL") && !dropped.has(name);
  };
  return names.filter((name) => own.has(name) && wanted(name));
}

/** The capabilities of this process. */
export function ownCapabilities(status = readFileSync("/proc/self/status", "utf8")): ReadonlySet<string> {
  const mask = BigInt(`0x${/^CapPrm:\s*([0-9a-f]+)$/mu.exec(status)?.[1] ?? "0"}`);
  return new Set(names.filter((_name, bit) => (mask & (1n << BigInt(bit))) !== 0n));
}

/** Kubernetes leaves the prefix out: `NET_ADMIN`. */
function fullName(name: string): string {
  const upper = name.toUpperCase();
  return upper.startsWith("CAP_") ? upper : `CAP_${upper}`;
}
