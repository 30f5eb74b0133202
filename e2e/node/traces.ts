import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** What containers could leave behind on a machine. */
export interface Traces {
  readonly mounts: readonly string[];
  readonly cgroups: readonly string[];
  readonly processes: readonly string[];
}

/** Looks at the machine for what has one of `words` in its name, options or command line. Compare two of them. */
export function tracesOnMachine(words: readonly string[]): Traces {
  const hasWord = (line: string): boolean => words.some((word) => line.includes(word));
  return {
    mounts: readFileSync("/proc/self/mountinfo", "utf8").split("\n").filter(hasWord).toSorted(),
    cgroups: cgroups("/sys/fs/cgroup", 5).filter(hasWord).toSorted(),
    processes: readdirSync("/proc")
      .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
      .map((name) => `${nameOf(name)} ${commandOf(name)}`)
      .filter(hasWord)
      .toSorted(),
  };
}

function cgroups(folder: string, depth: number): readonly string[] {
  if (depth === 0 || !existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return below.flatMap(({ name }) => {
    const path = join(folder, name);
    return [path, ...cgroups(path, depth - 1)];
  });
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function nameOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return "";
  }
}
