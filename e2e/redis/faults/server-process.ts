import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** How a server's process is disturbed. */
export type ProcessSignal = "SIGKILL" | "SIGSTOP" | "SIGCONT";

/** Signals the server in a pod, by the record that its node keeps of its container. Gives the process. */
export function signalServer(dir: string, pod: string, signal: ProcessSignal): number {
  const pid = serverProcess(dir, pod);
  process.kill(pid, signal);
  return pid;
}

/** The process of the server in a pod: the one that the shell which is the container's first process waits for. */
export function serverProcess(dir: string, pod: string): number {
  const pid = containerProcess(dir, pod, "redis");
  if (nameOf(pid) !== "sh") return pid;
  const server = childrenOf(pid).find((child) => /^(?:redis|valkey)-server$/u.test(nameOf(child)));
  if (server === undefined) throw new Error(`no server runs in the pod ${pod}`);
  return server;
}

/** The first process of a container of a pod. */
export function containerProcess(dir: string, pod: string, container: string): number {
  const alive = recordsIn(dir).filter(
    ({ labels, process: found }) =>
      labels["io.kubernetes.pod.name"] === pod &&
      labels["io.kubernetes.container.name"] === container &&
      found !== undefined &&
      startOf(found.pid) === found.startTicks,
  );
  const [record] = alive;
  if (record?.process === undefined || alive.length > 1)
    throw new Error(`${alive.length} containers ${container} run in the pod ${pod}, not one`);
  return record.process.pid;
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

function nameOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
}

/** The folder of a pod's volume on its node. */
export function volumeFolder(dir: string, pod: string): string {
  const found = globSync(join(dir, `nodes/*/volumes/pvc-*_default_redis-data-${pod}`));
  const [folder] = found;
  if (folder === undefined || found.length > 1) throw new Error(`the pod ${pod} has ${found.length} volumes`);
  return folder;
}

/** The process of a part of the cluster: `operator`, `server`, `node/kedge-2`. */
export function partProcess(dir: string, role: string): number {
  const parts = JSON.parse(readFileSync(join(dir, "running.json"), "utf8")) as readonly {
    readonly role: string;
    readonly pid: number;
  }[];
  const part = parts.find((one) => one.role === role);
  if (part === undefined) throw new Error(`the cluster in ${dir} has no ${role}`);
  return part.pid;
}

interface ContainerRecord {
  readonly labels: Readonly<Record<string, string>>;
  readonly process?: { readonly pid: number; readonly startTicks: number };
}

function recordsIn(dir: string): readonly ContainerRecord[] {
  return globSync(join(dir, "nodes/*/node/containers/containers/*/container.json")).flatMap((file) => {
    try {
      return [JSON.parse(readFileSync(file, "utf8")) as ContainerRecord];
    } catch {
      // It has just been removed.
      return [];
    }
  });
}

/** When a process was started, in the kernel's ticks: no later one of the same number has the same. */
function startOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}
