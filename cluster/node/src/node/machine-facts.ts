import { readFile, statfs } from "node:fs/promises";
import { arch, availableParallelism, release, totalmem } from "node:os";
import type { NodeSystemInfo } from "@kedge/machinery/kinds/core/v1";

/** What a node can give: quantities as text. */
export interface NodeCapacity {
  /** Default: the machine's. */
  readonly cpu?: string | undefined;
  readonly memory?: string | undefined;
  /** Default 110. */
  readonly pods?: number | undefined;
}

/** Spelled as Kubernetes does. */
const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386", ppc64: "ppc64le" };

/** The capacity of this machine, or what was said instead. `folder` is on the disk that pods write to. */
export async function capacityOf(given: NodeCapacity, folder: string): Promise<Record<string, string>> {
  const { blocks, bsize } = await statfs(folder);
  return {
    cpu: given.cpu ?? String(availableParallelism()),
    memory: given.memory ?? `${Math.floor(totalmem() / 1024)}Ki`,
    pods: String(given.pods ?? 110),
    "ephemeral-storage": `${Math.floor((blocks * bsize) / 1024)}Ki`,
  };
}

/** What `kubectl get nodes -o wide` shows of this machine. */
export async function machineFacts(runtimeVersion: string, version: string): Promise<NodeSystemInfo> {
  const osRelease = await read("/etc/os-release");
  const machineID = await read("/etc/machine-id");
  return {
    machineID,
    systemUUID: machineID,
    bootID: await read("/proc/sys/kernel/random/boot_id"),
    kernelVersion: release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)"?$/mu.exec(osRelease)?.[1] ?? "Linux",
    containerRuntimeVersion: runtimeVersion,
    kubeletVersion: version,
    kubeProxyVersion: "",
    operatingSystem: "linux",
    architecture: architectures[arch()] ?? arch(),
  };
}

async function read(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.trim();
}

/** Whether the kernel confines processes by AppArmor. */
export async function hasAppArmor(): Promise<boolean> {
  const text = await readFile("/sys/module/apparmor/parameters/enabled", "utf8").catch(() => "");
  return text.startsWith("Y");
}
