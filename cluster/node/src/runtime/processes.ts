import { readdirSync, readFileSync } from "node:fs";

/**
 * A process that cannot be mistaken for a later one with the same number: its start is counted in clock ticks since the
 * machine's.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number;
}

/** The identity of a running process; undefined when there is none of this number. A zombie has ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  const fields = statOf(pid);
  const [state] = fields;
  const startTicks = Number(fields[19]);
  if (state === undefined || state === "Z" || state === "X") return undefined;
  return { pid, startTicks };
}

/** Whether that very process still runs. */
export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startTicks === process.startTicks;
}

/** Sends a signal to that very process; does nothing when it has ended. */
export function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Processes with an argument that the function accepts. */
export function processesWithArgument(accepts: (argument: string) => boolean): readonly ProcessIdentity[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .filter((name) => commandLine(name).some(accepts))
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

function commandLine(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
