import { withConnections, type Access } from "./connections.ts";

/** Where the ConfigMaps of the measurement are. */
export const maps = "/api/v1/namespaces/default/configmaps";

/** A ConfigMap of 1 kB. */
export function draft(name: string, labels: object = {}): string {
  return JSON.stringify({ metadata: { name, labels }, data: { key: "x".repeat(1000) } });
}

const filled = new WeakMap<Access, Set<string>>();

/** So many ConfigMaps with this prefix, once for each server. */
export async function fill(access: Access, prefix: string, count: number): Promise<void> {
  const done = filled.get(access) ?? new Set();
  filled.set(access, done);
  if (done.has(prefix)) return;
  done.add(prefix);
  await withConnections(access, 16, async (connections) => {
    let next = 0;
    await Promise.all(
      connections.map(async (connection) => {
        for (let index = next++; index < count; index = next++)
          await connection.send("POST", maps, draft(`${prefix}-${index}`));
      }),
    );
  });
}
