import { readdirSync, readFileSync } from "node:fs";
import { hasCode } from "@kedge/machinery";

/**
 * A process that cannot be mistaken for a later one with the same number: its start is counted in clock ticks since the
 * machine's, and which start of the machine that was is said, too.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number;
  /** The machine's boot id. Records of older versions have none. */
  readonly boot?: string | undefined;
}

/** It stays the same as long as this program runs. */
const thisBoot = textOf("/proc/sys/kernel/random/boot_id").trim();

/** The identity of a running process; undefined when there is none of this number. A zombie has ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  const fields = statOf(pid);
  const [state] = fields;
  const startTicks = Number(fields[19]);
  if (state === undefined || state === "Z" || state === "X") return undefined;
  return { pid, startTicks, boot: thisBoot };
}

/** Whether that very process still runs. */
export function isAlive({ pid, startTicks, boot = thisBoot }: ProcessIdentity): boolean {
  return boot === thisBoot && identify(pid)?.startTicks === startTicks;
}

/** Sends a signal to that very process; does nothing when it has ended. */
export function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

/** In the environment of every program that a runtime starts for its containers: the runtime's folder. */
const mark = "KEDGE_RUNTIME";

/** What makes a program known as ours, for its environment. */
export function markOf(runtimeFolder: string): Readonly<Record<string, string>> {
  return { [mark]: runtimeFolder };
}

/** Processes that a runtime of this folder has started; with `argument`, only those with that very argument. */
export function processesOf(runtimeFolder: string, argument?: string): readonly ProcessIdentity[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .filter((name) => wordsOf(`/proc/${name}/environ`).includes(`${mark}=${runtimeFolder}`))
    .filter((name) => argument === undefined || wordsOf(`/proc/${name}/cmdline`).includes(argument))
    .flatMap((name) => identify(Number(name)) ?? []);
}

/** The fields of `/proc/PID/stat` after the program's name, which may have anything in it. */
function statOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text
      .slice(text.lastIndexOf(")") + 2)
      .trim()
      .split(" ");
  } catch {
    return [];
  }
}

function wordsOf(file: string): readonly string[] {
  return textOf(file).split("\0");
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
