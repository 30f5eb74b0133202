import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { cgroupHierarchies } from "./cgroups.ts";

/** What a control group has used. */
export interface CgroupUsage {
  /** Processor time since it was made. */
  readonly cpuNanoseconds: number;
  /** Memory that the kernel cannot take back at once: all but the files that were not read lately. */
  readonly workingSetBytes: number;
  /** Processes and threads now, where they are counted. */
  readonly processes?: number | undefined;
}

/** Reads what a group has used, in whichever version of control groups this machine has; undefined: it is not there. */
export async function cgroupUsage(
  group: string,
  hierarchies: readonly string[] = cgroupHierarchies(),
): Promise<CgroupUsage | undefined> {
  const read = async (file: string): Promise<string | undefined> => {
    for (const hierarchy of hierarchies) {
      const text = await readFile(join(hierarchy, group, file), "utf8").catch(() => undefined);
      if (text !== undefined) return text;
    }
    return undefined;
  };
  const cpu = numberOf(await read("cpuacct.usage")) ?? microsecondsIn(await read("cpu.stat"));
  const memory = numberOf((await read("memory.usage_in_bytes")) ?? (await read("memory.current")));
  if (cpu === undefined || memory === undefined) return undefined;
  const idle = inactiveIn(await read("memory.stat"));
  const processes = numberOf(await read("pids.current"));
  return {
    cpuNanoseconds: cpu,
    workingSetBytes: Math.max(0, memory - idle),
    ...(processes !== undefined && { processes }),
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text.trim() === "" ? undefined : Number(text);
}

function microsecondsIn(stat: string | undefined): number | undefined {
  const [, value] = /^usage_usec (\d+)$/mu.exec(stat ?? "") ?? [];
  return value === undefined ? undefined : Number(value) * 1000;
}

/** With those of the groups below it, which version 1 counts apart. */
function inactiveIn(stat = ""): number {
  const [, value] = /^total_inactive_file (\d+)$/mu.exec(stat) ?? /^inactive_file (\d+)$/mu.exec(stat) ?? [];
  return Number(value ?? 0);
}
