import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { inBackground, realClock, realRandom, silentLogger } from "@kedge/machinery";
import { Namespace, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { createNetworkPolicies, type NetworkCommands, type PodNetwork } from "@kedge/network";
import { createInformers } from "@kedge/runtime";
import { createMemoryStore } from "@kedge/store";
import { afterEach, beforeEach, expect, it } from "vitest";

const clock = realClock;
const random = realRandom;
const nodeName = "node-1";
const namespace = "default";
const closed = { podSelector: { matchLabels: { app: "db" } }, policyTypes: ["Ingress"] };

let node: Awaited<ReturnType<typeof startNode>>;
beforeEach(async () => {
  node = await startNode();
});
afterEach(() => node[Symbol.asyncDispose]());

it("watches no pods, and lets none wait, as long as there is no policy", async () => {
  const uid = await node.createPod("db");
  await node.network.attach(uid);
  expect(node.transactions).toHaveLength(1);
  expect(node.requests.filter((path) => path.includes("/pods?"))).toEqual([]);
});

it("gives a pod its network for good only when the rules that isolate it are in force", async () => {
  await node.client.of(NetworkPolicy).create({ metadata: { namespace, name: "closed" }, spec: closed });
  const uid = await node.createPod("db");
  await expect.poll(() => node.requests.some((path) => path.includes("/pods?"))).toBe(true);
  const gate = Promise.withResolvers<void>();
  node.hold(gate.promise);
  let isAttached = false;
  const attaching = node.network.attach(uid).then(() => (isAttached = true));
  await expect
    .poll(() => node.transactions.at(-1) ?? "")
    .toContain(`add element ip ${node.table} ingress { ${node.addressOf(uid)} : goto`);
  expect(isAttached).toBe(false);
  gate.resolve();
  await attaching;
});

it("keeps one isolated that was deleted, until its network is gone", async () => {
  await node.client.of(NetworkPolicy).create({ metadata: { namespace, name: "closed" }, spec: closed });
  const uid = await node.createPod("db");
  await node.network.attach(uid);
  await node.client.of(Pod).delete({ namespace, name: "db" }, { gracePeriodSeconds: 0 });
  // Another policy shows that the deletion was seen: it came later.
  await node.client
    .of(NetworkPolicy)
    .create({ metadata: { namespace, name: "egress" }, spec: { ...closed, policyTypes: ["Egress"] } });
  await expect
    .poll(() => node.transactions.at(-1) ?? "")
    .toContain(`add element ip ${node.table} egress { ${node.addressOf(uid)} : goto`);
  expect(node.transactions.join("")).not.toContain(`delete element ip ${node.table} ingress`);
  const address = node.addressOf(uid);
  await node.network.detach(uid);
  await expect
    .poll(() => node.transactions.join(""))
    .toContain(`delete element ip ${node.table} ingress { ${address} }`);
});

it("forgets the flows of another node's pod when its address is another's, or nobody's", async () => {
  await node.client.of(NetworkPolicy).create({ metadata: { namespace, name: "closed" }, spec: closed });
  await node.createPod("web-1", { app: "web", podIP: "10.66.0.1" });
  await node.createPod("web-2", { app: "web", podIP: "10.66.0.2" });
  await node.network.attach(await node.createPod("db"));
  expect(node.forgotten).toEqual([]);
  await node.client.of(Pod).delete({ namespace, name: "web-1" }, { gracePeriodSeconds: 0 });
  await expect.poll(() => node.forgotten).toEqual(["end 10.66.0.1\n"]);
  await node.createPod("web-3", { app: "web", podIP: "10.66.0.2" });
  await expect.poll(() => node.forgotten).toEqual(["end 10.66.0.1\n", "end 10.66.0.2\n"]);
});

it("makes the table anew after a change that failed", async () => {
  await node.client.of(NetworkPolicy).create({ metadata: { namespace, name: "closed" }, spec: closed });
  await node.network.attach(await node.createPod("db"));
  node.failOnce();
  await node.client
    .of(Pod)
    .patch({ namespace, name: "db" }, { merge: { metadata: { labels: { app: "web" } } } });
  await expect.poll(() => node.transactions.at(-1) ?? "").toMatch(/^add table ip(?![^]*goto pod-)/u);
});

it("changes as little as a change of one pod among hundreds asks for", async ({ annotate }) => {
  await node.client.of(NetworkPolicy).create({
    metadata: { namespace, name: "open" },
    spec: { ...closed, ingress: [{ from: [{ podSelector: { matchLabels: { app: "web" } } }] }] },
  });
  for (let i = 0; i < 500; i++)
    await node.createPod(`web-${i}`, { app: "web", podIP: `10.66.${i >> 8}.${i & 255}` });
  await node.network.attach(await node.createPod("db"));
  const web7 = "10.66.0.7";
  await expect.poll(() => node.transactions.join("")).toContain(web7);
  const began = clock.monotonic();
  await node.client
    .of(Pod)
    .patch({ namespace, name: "web-7" }, { merge: { metadata: { labels: { app: "other" } } } });
  await expect
    .poll(() => node.transactions.at(-1) ?? "", { interval: 1 })
    .toMatch(/^delete element \S+ \S+ pods-\S+ \{ 10\.66\.0\.7 \}\n$/u);
  await annotate(`${Math.round(clock.monotonic() - began)} ms to follow one of 500 pods`, "count");
});

/** The keeper of a node's policies over a real API server, with a kernel that only remembers what it was told. */
async function startNode() {
  await using stack = new AsyncDisposableStack();
  const store = createMemoryStore({ clock });
  stack.defer(() => store.close());
  const api = createApiServer({ store, clock, random });
  await api.start();
  stack.defer(() => api.close());
  const { handle, upgrade } = api.doorFor({ name: "admin", groups: ["system:masters"] });
  const requests: string[] = [];
  const noted: typeof handle = (request) => {
    requests.push(request.path);
    return handle(request);
  };
  const client = new Client(inProcessTransport(handle, upgrade), { clock, random });
  const watching = new Client(inProcessTransport(noted, upgrade), { clock, random });
  await client.of(ServiceAccount).create({ metadata: { namespace, name: "default" } });
  await client.of(Namespace).get({ name: namespace });

  const transactions: string[] = [];
  const forgotten: string[] = [];
  let held = Promise.resolve();
  let fails = false;
  const refuse = (): Promise<never> => Promise.reject(new Error("not here"));
  const commands: NetworkCommands = {
    ip: refuse,
    ipBatch: refuse,
    nftQuery: refuse,
    perl(_program, input) {
      forgotten.push(input);
      return Promise.resolve("");
    },
    async nft(ruleset) {
      transactions.push(ruleset);
      await held;
      if (!fails) return;
      fails = false;
      throw new Error("the kernel is busy");
    },
  };
  const addresses = new Map<string, string>();
  const plain: PodNetwork = {
    gateway: "10.65.0.1",
    start: () => Promise.resolve(),
    attach(uid) {
      const address = `10.65.0.${10 + addresses.size}`;
      addresses.set(uid, address);
      return Promise.resolve({ address, namespacePath: "" });
    },
    detach: () => Promise.resolve(),
    attached: () => Promise.resolve([...addresses.keys()]),
    remove: () => Promise.resolve(),
  };
  const informers = createInformers({ client: watching, clock, random });
  const network = {
    id: "e2e0e4",
    podRange: "10.64.0.0/14",
    podCIDR: "10.65.0.0/24",
    serviceRange: "10.96.0.0/16",
    domain: "cluster.local",
  };
  const keeper = createNetworkPolicies({
    network,
    nodeName,
    informers,
    commands,
    clock,
    logger: silentLogger,
  });
  const ending = new AbortController();
  const running = [keeper.run(ending.signal), informers.run(ending.signal)];
  for (const work of running) inBackground(work, () => undefined);
  stack.defer(async () => {
    ending.abort();
    await Promise.all(running);
  });
  const all = stack.move();
  return {
    client,
    requests,
    transactions,
    forgotten,
    table: `kedge-${network.id}-policies`,
    network: keeper.guarding(plain),
    addressOf: (uid: string) => addresses.get(uid) ?? "",
    hold: (gate: Promise<void>) => {
      held = gate;
    },
    failOnce: () => {
      fails = true;
    },
    /** A pod of this node; with an address, of another. */
    async createPod(
      name: string,
      { app = name, podIP }: { readonly app?: string; readonly podIP?: string } = {},
    ) {
      const { metadata } = await client.of(Pod).create({
        metadata: { namespace, name, labels: { app } },
        spec: {
          nodeName: podIP === undefined ? nodeName : "node-2",
          containers: [{ name: "c", image: "c" }],
        },
      });
      if (podIP !== undefined)
        await client.of(Pod).status.patch({ namespace, name }, { merge: { status: { podIP } } });
      return metadata.uid;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
