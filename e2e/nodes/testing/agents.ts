import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The processes of the agents by their roles: `node/` and the name of the node. */
export function agentsIn(dir: string): ReadonlyMap<string, number> {
  const processes = JSON.parse(readFileSync(join(dir, "running.json"), "utf8")) as readonly {
    readonly role: string;
    readonly pid: number;
  }[];
  const agents = processes.filter(({ role }) => role.startsWith("node/"));
  return new Map(agents.map(({ role, pid }) => [role, pid]));
}
