import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";

/** Where this machine has its control groups: one hierarchy (version 2), or one for each controller (version 1). */
export function cgroupHierarchies(
  mountinfo = readFileSync("/proc/self/mountinfo", "utf8"),
): readonly string[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const [type] = after.split(" ");
    const path = before.split(" ")[4];
    return (type === "cgroup" || type === "cgroup2") && path !== undefined ? [path] : [];
  });
}

/** Whether a limit of memory and swap together can be set. */
export function canLimitSwap(): boolean {
  return (
    existsSync("/sys/fs/cgroup/cgroup.controllers") ||
    existsSync("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes")
  );
}

/** Sets how many processes and threads a group may have at once, all below it included. */
export function limitProcesses(group: string, limit: number): void {
  for (const hierarchy of cgroupHierarchies()) {
    const file = join(hierarchy, group, "pids.max");
    if (existsSync(file)) writeFileSync(file, String(limit));
  }
}

/** Removes a group in every hierarchy where it has neither processes nor groups below it. */
export function removeEmptyCgroup(group: string): void {
  for (const hierarchy of cgroupHierarchies()) removeFolder(join(hierarchy, group));
}

/** Kills every process of a group and of those below it, then removes them. */
export async function killCgroup(group: string, clock: Clock): Promise<void> {
  const end = clock.monotonic() + 10_000;
  while (clock.monotonic() < end) {
    const pids = new Set(cgroupHierarchies().flatMap((hierarchy) => processesOf(join(hierarchy, group))));
    if (pids.size === 0) break;
    for (const pid of pids) kill(pid);
    await clock.sleep(10);
  }
  // A group lets itself be removed only a moment after its last process has ended.
  while (clock.monotonic() < end) {
    for (const hierarchy of cgroupHierarchies()) removeTree(join(hierarchy, group));
    if (!cgroupHierarchies().some((hierarchy) => existsSync(join(hierarchy, group)))) return;
    await clock.sleep(10);
  }
}

function removeTree(folder: string): void {
  for (const child of foldersOf(folder)) removeTree(join(folder, child));
  removeFolder(folder);
}

function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Not there, or still in use.
  }
}

function processesOf(folder: string): readonly number[] {
  const below = foldersOf(folder).flatMap((child) => processesOf(join(folder, child)));
  return [...below, ...ownProcesses(folder)];
}

function ownProcesses(folder: string): readonly number[] {
  try {
    const text = readFileSync(join(folder, "cgroup.procs"), "utf8");
    return text.split("\n").flatMap((line) => (line === "" || line === "0" ? [] : [Number(line)]));
  } catch {
    return [];
  }
}

function foldersOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
