import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Clock } from "@kedge/machinery";

/** Folders whose contents never reach a disk. */
export interface MemoryFolders {
  /** Makes it; does nothing when it is there. `sizeBytes`: most that fits in. */
  create(
    path: string,
    options: { readonly mode: number; readonly sizeBytes?: number | undefined },
  ): Promise<void>;
  /** Takes away all that are in a folder. */
  removeBelow(folder: string): Promise<void>;
}

const commandTimeoutMs = 10_000;

/** Memory folders by tmpfs; needs root. */
export function tmpfsFolders(clock: Clock): MemoryFolders {
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    using deadline = clock.deadline(commandTimeoutMs);
    await clock.track(promisify(execFile)(program, args, { signal: deadline.signal }));
  };
  return {
    async create(path, { mode, sizeBytes }) {
      await mkdir(path, { recursive: true });
      if ((await mountsBelow(path)).includes(path)) return;
      const size = sizeBytes === undefined ? [] : [`size=${sizeBytes}`];
      const options = [`mode=${mode.toString(8)}`, "nosuid", "nodev", ...size].join(",");
      await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]);
    },
    async removeBelow(folder) {
      // The deepest first.
      const mounts = (await mountsBelow(folder)).toSorted((a, b) => b.length - a.length);
      for (const path of mounts) await run("umount", ["--lazy", path]);
    },
  };
}

/** Ordinary folders, where nothing secret is and nobody is root: simulations and tests. */
export const plainFolders: MemoryFolders = {
  create: async (path, { mode }) => {
    await mkdir(path, { recursive: true, mode });
  },
  removeBelow: () => Promise.resolve(),
};

/** The mount points at and below a folder. */
async function mountsBelow(folder: string): Promise<string[]> {
  const table = await readFile("/proc/self/mountinfo", "utf8");
  return table
    .split("\n")
    .map((line) => unescapeSpaces(line.split(" ")[4] ?? ""))
    .filter((path) => path === folder || path.startsWith(`${folder}/`));
}

/** The kernel writes spaces, tabs, newlines and backslashes as octal numbers. */
function unescapeSpaces(path: string): string {
  return path.replaceAll(/\\(\d{3})/gu, (_match, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 8)),
  );
}
