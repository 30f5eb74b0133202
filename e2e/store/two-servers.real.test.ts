import { createApiServer, type ApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { realClock, realRandom } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { createManager } from "@kedge/runtime";
import { openEtcdStore } from "@kedge/store";
import { expect, it } from "vitest";
import { until } from "../real/wait.ts";
import { startEtcd, type EtcdCluster } from "./testing/etcd-cluster.ts";

const namespace = "default";

it("two API servers on one etcd show each other's writes, and lose and reorder none", async () => {
  await using etcd = await startEtcd();
  await using a = await startServer(etcd);
  await using b = await startServer(etcd);
  const servers = [a, b];
  const stop = new AbortController();
  const seen = servers.map(({ client }) => follow(client, stop.signal));
  await Promise.all(seen.map(({ begun }) => begun));

  // Each writer goes on with what the other server has: a read that is older than that write would be a conflict.
  await a.client.of(ConfigMap).create({ metadata: { namespace, name: "shared" }, data: { count: "0" } });
  for (let count = 1; count <= 40; count++) {
    const { client } = count % 2 === 0 ? a : b;
    const found = await client.of(ConfigMap).get({ namespace, name: "shared" });
    expect(found.data?.["count"]).toBe(String(count - 1));
    await client.of(ConfigMap).replace({ ...found, data: { count: String(count) } });
  }

  const writing = servers.flatMap(({ client }, server) =>
    Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; i < 25; i++)
        await client.of(ConfigMap).create({ metadata: { namespace, name: `w-${server}-${writer}-${i}` } });
    }),
  );
  await Promise.all(writing);
  // A list without a resourceVersion is as new as the last write, whichever server took it.
  const lists = await Promise.all(
    servers.map(({ client }) => client.of(ConfigMap).list({ namespace }).all()),
  );
  const names = lists.map(({ items }) => items.map(({ metadata }) => metadata.name).toSorted());
  expect(names[0]?.filter((name) => name.startsWith("w-")).length).toBe(200);
  expect(names[1]).toEqual(names[0]);
  expect(lists[1]?.items).toEqual(lists[0]?.items);

  await until("both watches have shown everything", async () =>
    seen.every(({ events }) => events.filter((event) => event.includes(" w-")).length === 200),
  );
  expect(seen[1]?.events).toEqual(seen[0]?.events);
  const revisions = seen[0]?.events.map((event) => Number(event.split(" ")[0])) ?? [];
  expect(revisions).toEqual(revisions.toSorted((one, other) => one - other));
  stop.abort();
});

it("of two managers, each on its own API server, one works, and the other goes on when that one stops", async () => {
  await using etcd = await startEtcd();
  await using a = await startServer(etcd);
  await using b = await startServer(etcd);
  const leaders: string[] = [];
  const run = ({ client }: RunningServer, identity: string) => {
    const stopping = new AbortController();
    const manager = createManager({
      client,
      clock: realClock,
      random: realRandom,
      name: "shared",
      metrics: "none",
      leaderElection: { namespace: "kube-system", name: "shared", identity },
    });
    manager.addTask("lead", async (signal) => {
      leaders.push(identity);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    });
    return { stopping, running: manager.run(stopping.signal) };
  };
  const managers = new Map([
    ["a", run(a, "a")],
    ["b", run(b, "b")],
  ]);
  await until("one leads", async () => leaders.length === 1);
  const [first = ""] = leaders;
  managers.get(first)?.stopping.abort();
  await managers.get(first)?.running;
  await until("the other leads", async () => leaders.length === 2);
  expect(leaders.toSorted()).toEqual(["a", "b"]);
  for (const { stopping, running } of managers.values()) {
    stopping.abort();
    await running;
  }
});

interface RunningServer extends AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client;
}

async function startServer({ endpoints }: EtcdCluster): Promise<RunningServer> {
  const options = { clock: realClock, random: realRandom };
  const store = await openEtcdStore({ endpoints, prefix: "/two", ...options });
  const server = createApiServer({ store, ...options });
  await server.start();
  const { handle, upgrade } = server.doorFor({ name: "admin", groups: ["system:masters"] });
  const client = new Client(inProcessTransport(handle, upgrade), options);
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
      await store.close();
    },
  };
}

/** Watches config maps, and writes down what it is shown. */
function follow(
  client: Client,
  signal: AbortSignal,
): { readonly begun: Promise<void>; readonly events: string[] } {
  const events: string[] = [];
  const begun = Promise.withResolvers<void>();
  const work = async (): Promise<void> => {
    const { metadata } = await client.of(ConfigMap).list({ namespace }).all();
    const onOpen = begun.resolve;
    for await (const event of client
      .of(ConfigMap)
      .watch({ namespace, resourceVersion: metadata.resourceVersion, signal, onOpen })) {
      if (event.type === "BOOKMARK") continue;
      const { resourceVersion: version, name } = event.object.metadata;
      events.push(`${version} ${event.type} ${name}`);
    }
  };
  work().catch((error: unknown) => {
    if (!signal.aborted) begun.reject(error);
  });
  return { begun: begun.promise, events };
}
