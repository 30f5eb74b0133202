import { messageOf } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { clientCommand } from "@kedge/redis-operator";
import type { TestCluster } from "./up-cluster.ts";

/** Runs redis-cli in a pod; gives what it printed. A server that is away gives its complaint. */
export async function redis(
  cluster: Pick<TestCluster, "client">,
  pod: string,
  ...command: readonly string[]
): Promise<string> {
  const key = { namespace: "default", name: pod };
  try {
    const { stdout, stderr } = await cluster.client
      .of(Pod)
      .exec.run(key, { command: clientCommand(...command), container: "redis", timeout: 60_000 });
    return `${stdout}${stderr}`.trim();
  } catch (error) {
    return messageOf(error);
  }
}

/** What `info replication` says, by its names. */
export async function replication(
  cluster: Pick<TestCluster, "client">,
  pod: string,
): Promise<Readonly<Record<string, string>>> {
  const text = await redis(cluster, pod, "info", "replication");
  const lines = [...text.matchAll(/^(\w+):(.*?)\r?$/gmu)];
  return Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
}
