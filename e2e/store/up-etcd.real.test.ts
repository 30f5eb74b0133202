import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StatusError, realClock } from "@kedge/machinery";
import { ConfigMap, Namespace, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { until } from "../real/wait.ts";
import { partProcess } from "../redis/faults/server-process.ts";
import { startEtcd } from "./testing/etcd-cluster.ts";

const small = ["--runtime", "simulated", "--no-sample", "--no-operators"];

it("a cluster in an etcd of three goes on without one, refuses writes without two, and has lost nothing", async () => {
  await using etcd = await startEtcd({ members: 3 });
  const url = `etcd://${etcd.endpoints.join(",")}/test`;
  await using cluster = await upCluster({ flags: [...small, "--store", url] });
  const maps = cluster.client.of(ConfigMap);
  const acknowledged: string[] = [];
  const create = async (name: string): Promise<void> => {
    await maps.create({ metadata: { namespace: "default", name } });
    acknowledged.push(name);
  };
  const status = await cluster.cli("status");
  expect(status.stdout).toContain(`  store       etcd at ${etcd.endpoints.join(", ")} below /test/\n`);
  for (let i = 0; i < 20; i++) await create(`all-${i}`);

  await etcd.kill(0);
  await until("writes are taken without one member", () =>
    succeeds(() => create(`two-${acknowledged.length}`)),
  );
  for (let i = 0; i < 20; i++) await create(`later-${i}`);

  const server = partProcess(cluster.dir, "server");
  await etcd.kill(1);
  const start = realClock.monotonic();
  const refused = await maps
    .create({ metadata: { namespace: "default", name: "refused" } })
    .catch((e: unknown) => e);
  expect(realClock.monotonic() - start).toBeLessThan(30_000);
  expect(refused).toBeInstanceOf(StatusError);
  expect(refused).toMatchObject({ status: { code: 500 } });
  expect(String(refused)).toContain("the store is not available: etcd: ");
  // What may be old is answered from memory.
  const cached = await maps.list({ namespace: "default", resourceVersion: "0" }).all();
  expect(cached.items.length).toBeGreaterThanOrEqual(acknowledged.length);

  // Neither controllers nor scheduler can renew their Lease: they end, and the server does not.
  const log = (): string => readFileSync(join(cluster.dir, "logs/server.log"), "utf8");
  await until("nobody leads any more", async () => log().split('"part":"leader election"').length >= 3);

  await etcd.restart(0);
  await etcd.restart(1);
  await until("writes are taken again", () => succeeds(() => create(`back-${acknowledged.length}`)));
  await cluster.client.of(Namespace).create({ metadata: { name: "later" } });
  await until("controllers work again", () =>
    succeeds(() => cluster.client.of(ServiceAccount).get({ namespace: "later", name: "default" })),
  );
  expect(partProcess(cluster.dir, "server")).toBe(server);
  const { items } = await maps.list({ namespace: "default" }).all();
  const names = new Set(items.map(({ metadata }) => metadata.name));
  expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);

  await cluster.down();
  await cluster.up(...small);
  const again = await maps.list({ namespace: "default" }).all();
  const kept = new Set(again.items.map(({ metadata }) => metadata.name));
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);

  await expect(upCluster({ flags: [...small, "--store", url] })).rejects.toThrow(
    /the keys below \/test\/ in etcd are those of the cluster [0-9a-f]{6}, and this one is/u,
  );
  const other = await cluster.cli("up", "--detach", ...small, "--store", "memory");
  expect(`${other.stdout}${other.stderr}`).toMatch(/already runs|this cluster has its objects in etcd/u);
});

it("a cluster whose etcd is not there says so, and how it is reached", async () => {
  await expect(upCluster({ flags: [...small, "--store", "etcd://127.0.0.1:1"] })).rejects.toThrow(
    /etcd at 127\.0\.0\.1:1: 127\.0\.0\.1:1: connect ECONNREFUSED/u,
  );
});

async function succeeds(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}
