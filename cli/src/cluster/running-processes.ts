import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Clock } from "@kedge/machinery";
import { writeWhole } from "@kedge/network/write-whole";
import type { ClusterFolder } from "./cluster-folder.ts";
import { readJsonFile } from "./json-file.ts";

/** A process of a cluster. The time of its start tells it from a later one with the same number. */
export interface RunningProcess {
  readonly role: string;
  readonly pid: number;
  readonly started: string;
  /** What happened to the processes that had this role before it. */
  readonly trouble?: Trouble;
}

/** Why a part of a cluster was started again. */
export interface Trouble {
  readonly restarts: number;
  /** The last time, and what happened then. */
  readonly at: string;
  readonly why: string;
}

/** This very process, or a child, as it is remembered. */
export function describeProcess(role: string, pid: number): RunningProcess {
  return { role, pid, started: startOf(pid) ?? "" };
}

/** Remembers which processes a cluster has. */
export async function saveRunning(
  folder: ClusterFolder,
  processes: readonly RunningProcess[],
): Promise<void> {
  await writeWhole(folder.running, `${JSON.stringify(processes, undefined, 2)}\n`);
}

/** None is left. */
export async function forgetRunning(folder: ClusterFolder): Promise<void> {
  await rm(folder.running, { force: true });
}

/** The processes of a cluster that are alive now. */
export async function runningProcesses(folder: ClusterFolder): Promise<readonly RunningProcess[]> {
  return (await rememberedProcesses(folder)).filter(isAlive);
}

/** The processes of a cluster, also those that have ended and are about to be started again. */
export async function rememberedProcesses(folder: ClusterFolder): Promise<readonly RunningProcess[]> {
  const stored = await readJsonFile(
    folder.running,
    "It says which processes the cluster has: when none of them runs any more, remove that file.",
  );
  return Array.isArray(stored) ? stored.filter(isRunningProcess) : [];
}

/** Whether it still is the process that was remembered, and not dead in all but name. */
export function isAlive({ pid, started }: RunningProcess): boolean {
  return startOf(pid) === started;
}

/** Waits until all of them are gone; gives those that are not when the time is up. */
export async function waitForEnd(
  processes: readonly RunningProcess[],
  options: { readonly clock: Clock; readonly patience: number },
): Promise<readonly RunningProcess[]> {
  const until = options.clock.monotonic() + options.patience;
  let left = processes.filter(isAlive);
  while (left.length > 0 && options.clock.monotonic() < until) {
    await options.clock.sleep(20);
    left = left.filter(isAlive);
  }
  return left;
}

/** Sends a signal to those that are alive. */
export function signalAll(processes: readonly RunningProcess[], signal: NodeJS.Signals): void {
  for (const one of processes.filter(isAlive)) {
    try {
      process.kill(one.pid, signal);
    } catch {
      // It ended in this very moment.
    }
  }
}

/** Whether a value from a file describes a process. */
export function isRunningProcess(value: unknown): value is RunningProcess {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  const wanted = { role: "string", pid: "number", started: "string" };
  return (
    Object.entries(wanted).every(([name, type]) => typeof fields.get(name) === type) &&
    (fields.get("trouble") === undefined || isTrouble(fields.get("trouble")))
  );
}

/**
 * Which start of the machine, and ticks since then: a record may outlive that start, and machines start their processes
 * much alike each time. Undefined when there is no such process, or only its entry is left.
 */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in the second field may hold spaces and parentheses itself.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [boot = ""] = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").split("-");
    return fields[0] === "Z" ? undefined : `${boot}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

function isTrouble(value: unknown): value is Trouble {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  const wanted = { restarts: "number", at: "string", why: "string" };
  return Object.entries(wanted).every(([name, type]) => typeof fields.get(name) === type);
}
