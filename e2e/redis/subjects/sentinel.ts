import type { Client } from "@kedge/client";
import { realClock } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { connectRedis, type ServerAddress } from "../ledger/connection.ts";
import { isList, type Reply } from "../ledger/replies.ts";
import { waitInSync } from "../testing/roles.ts";
import { until } from "../testing/until.ts";
import type { Server, Subject } from "./subject.ts";

const namespace = "default";
const port = 6379;
const sentinelPort = 26_379;
const password = "as-good-as-any";
const clock = realClock;

/**
 * The peer: three servers and three Sentinels of the same image, one of each on each node, configured as ours are, with
 * `down-after-milliseconds 1000`. A server that has ended stays away for some seconds: it is the change of the primary
 * that is measured, and an immediate restart would come before it.
 */
export async function makeSentinel(client: Client, nodes: readonly string[]): Promise<Subject> {
  const [first] = nodes;
  if (first === undefined) throw new Error("Sentinel needs nodes");
  const pods = client.of(Pod);
  const create = async (name: string, node: string, script: string): Promise<void> => {
    await pods.create({
      metadata: { namespace, name },
      spec: {
        nodeName: node,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: "redis",
            image: "redis:7.0",
            command: ["sh", "-c", script],
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          },
        ],
        volumes: [{ name: "data", emptyDir: {} }],
      },
    });
  };
  const address = async (name: string): Promise<string> =>
    await until(`pod ${name} runs`, async () => {
      const { status } = await pods.get({ namespace, name });
      return status?.phase === "Running" ? status.podIP : undefined;
    });
  await create(serverName(0), first, serverScript(undefined));
  const host = await address(serverName(0));
  for (const [index, node] of nodes.entries()) {
    if (index > 0) await create(serverName(index), node, serverScript(host));
  }
  const servers: Server[] = [];
  for (const [index, node] of nodes.entries()) {
    const pod = serverName(index);
    servers.push({ pod, node, address: { host: await address(pod), port, password } });
  }
  await waitInSync(() => Promise.resolve(servers));
  for (const [index, node] of nodes.entries()) await create(`sentinel-${index}`, node, sentinelScript(host));
  const sentinels: ServerAddress[] = [];
  for (const index of nodes.keys())
    sentinels.push({ host: await address(`sentinel-${index}`), port: sentinelPort });
  for (const sentinel of sentinels) await knowsTheOthers(sentinel, nodes.length);

  const route = async (): Promise<ServerAddress> => {
    const told = await Promise.any(sentinels.map((sentinel) => ask(sentinel, "GET-MASTER-ADDR-BY-NAME")));
    const [found = "", at = ""] = wordsOf(told);
    return { host: found, port: Number(at), password };
  };
  return {
    name: "Sentinel",
    route,
    servers: () => Promise.resolve(servers),
    async primary() {
      const { host: found } = await route();
      const server = servers.find((one) => one.address.host === found);
      if (server === undefined) throw new Error(`Sentinel says ${found}, which is none of its servers`);
      return server;
    },
    async switchover() {
      await Promise.any(sentinels.map((sentinel) => ask(sentinel, "FAILOVER")));
    },
  };
}

function serverName(index: number): string {
  return `peer-${index}`;
}

function serverScript(primary: string | undefined): string {
  const lines = [
    `port ${port}`,
    "bind 0.0.0.0",
    "dir /data",
    "appendonly yes",
    "appendfsync everysec",
    "repl-diskless-sync-delay 0",
    "repl-ping-replica-period 1",
    `requirepass ${password}`,
    `masterauth ${password}`,
    ...(primary === undefined ? [] : [`replicaof ${primary} ${port}`]),
  ];
  return `if [ -e /data/redis.conf ]; then sleep 5; else printf '${lines.join("\\n")}\\n' > /data/redis.conf; fi
exec redis-server /data/redis.conf`;
}

function sentinelScript(primary: string): string {
  const lines = [
    `port ${sentinelPort}`,
    "dir /data",
    "protected-mode no",
    `sentinel monitor main ${primary} ${port} 2`,
    `sentinel auth-pass main ${password}`,
    "sentinel down-after-milliseconds main 1000",
    "sentinel failover-timeout main 5000",
    "sentinel parallel-syncs main 2",
  ];
  return `[ -e /data/sentinel.conf ] || printf '${lines.join("\\n")}\\n' > /data/sentinel.conf
exec redis-server /data/sentinel.conf --sentinel`;
}

async function ask(sentinel: ServerAddress, question: string): Promise<Reply> {
  using connection = await connectRedis(sentinel, { clock, timeoutMs: 1000 });
  return await connection.call(["SENTINEL", question, "main"], 1000);
}

function wordsOf(reply: Reply): readonly string[] {
  return isList(reply) ? reply.map(String) : [];
}

async function knowsTheOthers(sentinel: ServerAddress, count: number): Promise<void> {
  await until(`the Sentinel at ${sentinel.host} knows the others`, async () => {
    const words = wordsOf(await ask(sentinel, "MASTER"));
    const has = (name: string): number => Number(words[words.indexOf(name) + 1]);
    return has("num-other-sentinels") === count - 1 && has("num-slaves") === count - 1;
  });
}
