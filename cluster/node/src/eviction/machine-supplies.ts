import { readFile, statfs } from "node:fs/promises";
import type { Supplies, Supply } from "./types.ts";

/** What this machine has left. Pods write to the disk of `folder`, images lie on that of `imageFolder`. */
export async function machineSupplies(folder: string, imageFolder = folder): Promise<Supplies> {
  const [nodefs, imagefs, meminfo, load, pidMax, threadsMax] = await Promise.all([
    statfs(folder),
    statfs(imageFolder),
    readFile("/proc/meminfo", "utf8"),
    readFile("/proc/loadavg", "utf8"),
    readFile("/proc/sys/kernel/pid_max", "utf8"),
    readFile("/proc/sys/kernel/threads-max", "utf8"),
  ]);
  return {
    "memory.available": memorySupply(meminfo),
    "nodefs.available": { available: nodefs.bavail * nodefs.bsize, capacity: nodefs.blocks * nodefs.bsize },
    "nodefs.inodesFree": { available: nodefs.ffree, capacity: nodefs.files },
    "imagefs.available": {
      available: imagefs.bavail * imagefs.bsize,
      capacity: imagefs.blocks * imagefs.bsize,
    },
    "imagefs.inodesFree": { available: imagefs.ffree, capacity: imagefs.files },
    "pid.available": processSupply(load, Math.min(Number(pidMax), Number(threadsMax))),
  };
}

/** By `/proc/meminfo`. */
export function memorySupply(meminfo: string): Supply {
  const bytes = (name: string): number =>
    1024 * Number(new RegExp(`^${name}: +(\\d+) kB`, "mu").exec(meminfo)?.[1] ?? 0);
  return { available: bytes("MemAvailable"), capacity: bytes("MemTotal") };
}

/** By `/proc/loadavg`: `0.1 0.2 0.3 2/345 6789` are 345 processes and threads. */
export function processSupply(loadavg: string, capacity: number): Supply {
  const used = Number(/ \d+\/(\d+) /u.exec(loadavg)?.[1] ?? 0);
  return { available: Math.max(0, capacity - used), capacity };
}
