import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts of a cluster, and who watches them. */
export const roles = ["supervisor", "server", "node/kedge", "operator"] as const;

/** One of them. */
export type Role = (typeof roles)[number];

/** What a process has at a moment. */
export interface Sample {
  readonly role: Role;
  readonly pid: number;
  readonly memoryMiB: number;
  readonly descriptors: number;
}

/** The processes that a cluster has now, by role. */
export function pidsIn(dir: string): ReadonlyMap<string, number> {
  const text = readFileSync(join(dir, "running.json"), "utf8");
  const processes = JSON.parse(text) as readonly { readonly role: string; readonly pid: number }[];
  return new Map(processes.map(({ role, pid }) => [role, pid]));
}

/** How often a part has come back, as the supervisor tells. */
export function returnsOf(dir: string, role: Role): number {
  const said = readFileSync(join(dir, "logs/up.log"), "utf8");
  return said.split("\n").filter((line) => line.endsWith(`${role} is back`)).length;
}

/** Looks at all of them. One that is being started again is left out. */
export function takeSamples(dir: string): readonly Sample[] {
  const pids = pidsIn(dir);
  return roles.flatMap((role) => {
    const pid = pids.get(role);
    return pid === undefined ? [] : sample(role, pid);
  });
}

function sample(role: Role, pid: number): readonly Sample[] {
  try {
    const [, kib = ""] = /^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const descriptors = readdirSync(`/proc/${pid}/fd`).length;
    return kib === "" ? [] : [{ role, pid, memoryMiB: Number(kib) / 1024, descriptors }];
  } catch {
    return [];
  }
}
