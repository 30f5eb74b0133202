import { readFileSync } from "node:fs";

/** Where a process' memory is, in MiB. */
export interface Memory {
  /** Only its own. */
  readonly privateMiB: number;
  /** Its share of what it has in common with others: a page of two processes counts half. */
  readonly sharedMiB: number;
  /** All pages that it sees. */
  readonly residentMiB: number;
}

/** Asks the kernel. */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const mib = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "mu").exec(text)?.[1] ?? 0) / 1024;
  const privateMiB = mib("Private_Clean") + mib("Private_Dirty");
  return { privateMiB, sharedMiB: mib("Pss") - privateMiB, residentMiB: mib("Rss") };
}

/** Processor time of all its threads so far; the kernel counts in hundredths of a second. */
export function cpuMsOf(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The fields after the name, which may hold spaces and brackets itself. */
function statOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}
