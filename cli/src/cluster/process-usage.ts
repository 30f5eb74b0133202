import { readFileSync } from "node:fs";

/** What the kernel says about a process. */
export interface ProcessUsage {
  /** One letter: R runs or wants to, S waits, D waits for a disk, T is stopped, Z has ended. */
  readonly state: string;
  /** CPU time that all its threads have used, in milliseconds. */
  readonly cpuMs: number;
  /** How long its first thread, which runs the event loop, wanted to run and got no CPU, in milliseconds. */
  readonly waitedMs: number;
}

/** The kernel counts CPU time in hundredths of a second, whatever its own clock is. */
const tickMs = 10;

/** Looks at a process; undefined when there is none. */
export function processUsage(pid: number): ProcessUsage | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in the second field may hold spaces and parentheses itself.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * tickMs;
    return { state: fields[0] ?? "", cpuMs, waitedMs: waitedMs(pid) };
  } catch {
    return undefined;
  }
}

/** Some kernels do not count it. */
function waitedMs(pid: number): number {
  try {
    const [, waited = "0"] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}
