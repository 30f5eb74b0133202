import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { connect, loadKubeconfig, type Client, type WatchEvent } from "@kedge/client";
import { realClock, realRandom } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { createInformers } from "@kedge/runtime";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startOracle, type Oracle } from "./oracle.ts";
import { programPath } from "./programs.ts";

let oracle: Oracle;
beforeAll(async () => {
  oracle = await startOracle();
});
afterAll(() => oracle.stop());

/** A client as a user's program has it: from the kubeconfig. */
async function fromKubeconfig(): Promise<Client> {
  const client = connect(await loadKubeconfig({ env: {}, clock: realClock, path: oracle.kubeconfig.path }));
  onTestFinished(() => client.close());
  return client;
}

it("creates, reads, lists, applies and deletes, and a watch sees it all", async () => {
  const client = await fromKubeconfig();
  const maps = client.of(ConfigMap);
  const key = { namespace: "default", name: "settings" };
  const { metadata } = await maps.list({ namespace: "default" }).all();
  const seen = collect(
    maps.watch({ namespace: "default", resourceVersion: metadata.resourceVersion ?? "" }),
    3,
  );

  const created = await maps.create({
    metadata: { ...key, labels: { app: "web" } },
    data: { colour: "red" },
  });
  expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/u);
  expect(await maps.get(key)).toEqual(created);
  const { items } = await maps.list({ namespace: "default", labelSelector: { app: "web" } }).all();
  expect(items.map((item) => item.metadata.name)).toEqual(["settings"]);

  const applied = await maps.apply({ metadata: key, data: { size: "9" } }, { fieldManager: "test" });
  expect(applied.data).toEqual({ colour: "red", size: "9" });
  const refused = maps.apply({ metadata: key, data: { colour: "blue" } }, { fieldManager: "test" });
  await expect(refused).rejects.toMatchObject({ status: { code: 409, reason: "Conflict" } });

  expect(await maps.delete(key)).toBeUndefined();
  await expect(maps.get(key)).rejects.toMatchObject({
    message: expect.stringContaining('configmaps "settings" not found') as string,
    status: { code: 404, reason: "NotFound" },
  });
  expect((await seen).map((event) => event.type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
});

it("opens as many connections as watches need, and is answered beside them", async () => {
  const client = await fromKubeconfig();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const informers = createInformers({ client, clock: realClock, random: realRandom });
  for (let index = 0; index < 130; index++) {
    informers.of(ConfigMap, { labelSelector: { index: String(index) } });
  }
  const running = informers.run(stop.signal);
  await informers.synced();
  const { items } = await client.of(ConfigMap).list({ namespace: "kube-system" }).all();
  expect(items.length).toBeGreaterThan(0);
  stop.abort();
  await running;
});

async function collect<T>(events: AsyncIterable<WatchEvent<T>>, count: number): Promise<WatchEvent<T>[]> {
  const seen: WatchEvent<T>[] = [];
  for await (const event of events) {
    if (event.type !== "BOOKMARK") seen.push(event);
    if (seen.length === count) break;
  }
  return seen;
}

it("discovers what is served", async () => {
  const { discovery } = await fromKubeconfig();
  expect(await discovery.kindNamed("cm")).toMatchObject({
    version: "v1",
    kind: "ConfigMap",
    scope: "Namespaced",
  });
  expect(await discovery.kindNamed("deploy")).toMatchObject({
    group: "apps",
    version: "v1",
    kind: "Deployment",
  });
  expect((await discovery.served()).length).toBeGreaterThan(20);
});

it.each([
  ["who has a certificate of its own", () => oracle.clientFor("jane", ["dev"])],
  ["whom the admin acts as", () => Promise.resolve(impersonating("jane", ["dev"]))],
])("refuses a user without rights, %s", async (_who, client) => {
  const { of } = await client().then((made) => ({ of: made.of.bind(made) }));
  await expect(of(ConfigMap).list({ namespace: "default" }).all()).rejects.toMatchObject({
    message: expect.stringContaining(
      'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ) as string,
    status: { code: 403, reason: "Forbidden" },
  });
});

it("lets a member of a group with rights in", async () => {
  const client = await oracle.clientFor("anybody", ["system:masters"]);
  await expect(client.of(ConfigMap).list({ namespace: "default" }).all()).resolves.toBeDefined();
});

function impersonating(user: string, groups: readonly string[]): Client {
  const client = connect({ ...oracle.adminConfig, impersonate: { user, groups } });
  onTestFinished(() => client.close());
  return client;
}

it("has a kubeconfig that kubectl takes", async () => {
  const args = ["--kubeconfig", oracle.kubeconfig.path, "get", "namespaces", "--output", "name"];
  const { stdout } = await promisify(execFile)(programPath("kubectl"), args);
  expect(stdout).toContain("namespace/default\n");
});
