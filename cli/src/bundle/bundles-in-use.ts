import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/**
 * The names of the bundles that processes of this machine were started from: they load more of it later, and a
 * supervisor starts parts of it again. Where there is no /proc, none are found.
 */
export function bundlesInUse(folder: string, proc = "/proc"): ReadonlySet<string> {
  const inUse = new Set<string>();
  for (const pid of entriesOf(proc).filter((name) => /^\d+$/u.test(name))) {
    for (const argument of argumentsOf(join(proc, pid, "cmdline"))) {
      if (argument.startsWith(folder + sep)) inUse.add(argument.slice(folder.length + 1).split(sep)[0] ?? "");
    }
  }
  return inUse;
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function argumentsOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\0");
  } catch {
    // The process has ended, or is not ours to look at.
    return [];
  }
}
