import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatTime } from "@kedge/machinery";

/** The files of a container's log, the oldest first: those that were rotated away, then the one that is written to. */
export async function logFiles(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  const rotated = names.filter((name) => isRotated(name, basename(path))).toSorted();
  const current = names.filter((name) => name === basename(path));
  return [...rotated, ...current].map((name) => join(folder, name));
}

/** The name that a log gets when it is rotated away at a time (milliseconds since 1970), as the kubelet writes it. */
export function rotatedName(path: string, now: number): string {
  return `${path}.${formatTime(now).replaceAll(/[-:Z]/gu, "").replace("T", "-")}`;
}

/** Removes a container's log, however many files it has. */
export async function removeLog(path: string): Promise<void> {
  for (const file of await logFiles(path)) await rm(file, { force: true });
}

function isRotated(name: string, current: string): boolean {
  return name.startsWith(`${current}.`) && /^\d{8}-\d{6}$/u.test(name.slice(current.length + 1));
}
