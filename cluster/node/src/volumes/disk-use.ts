import type { Clock } from "@kedge/machinery";
import { runProgram } from "@kedge/network/run-program";

/** A folder of any size is measured by then, or not at all. */
const longestMs = 60_000;

/**
 * How many bytes (or inodes) of disk some folders take, one number for each; those that are not there take none. By `du`: it follows
 * no link, holds no descriptor for each level, and keeps nobody waiting here.
 */
export async function diskUse(
  folders: readonly string[],
  {
    clock,
    signal,
    inodes = false,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly inodes?: boolean },
): Promise<readonly number[]> {
  if (folders.length === 0) return [];
  const args = [
    "--summarize",
    "--one-file-system",
    inodes ? "--inodes" : "--block-size=1",
    "--null",
    "--",
    ...folders,
  ];
  // What vanishes meanwhile is a complaint, and no failure.
  const { stdout } = await runProgram("du", args, { clock, signal, timeoutMs: longestMs, mayFail: true });
  const sizes = new Map(
    stdout.split("\0").map((line) => {
      const [bytes = "", path = ""] = line.split("\t");
      return [path, Number(bytes)] as const;
    }),
  );
  return folders.map((folder) => sizes.get(folder) ?? 0);
}
