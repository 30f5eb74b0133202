import { Client, NetworkTransport, type Transport } from "@kedge/client";
import { controllerOf, keyToString, realClock, seededRandom, type ApiResponse } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { ConfigMap, Event, Namespace } from "@kedge/machinery/kinds/core/v1";
import {
  createInformers,
  createManager,
  defineController,
  ensureFinalizer,
  removeFinalizer,
} from "@kedge/runtime";
import { expect, it, onTestFinished } from "vitest";
import type { Oracle } from "./oracle.ts";
import { useOracle } from "./testing/use-oracle.ts";

const fixture = useOracle();

/** A client whose writes are known, and whose watches can all be cut off, as by a proxy that restarts. */
function cuttable(oracle: Oracle): { client: Client; cut: () => void; writes: string[] } {
  const writes: string[] = [];
  const inner = new NetworkTransport(oracle.adminConfig, { clock: realClock });
  let current = new AbortController();
  const transport: Transport = {
    async request(request) {
      if (request.method !== "GET") writes.push(`${request.method} ${request.path}`);
      const answer = await inner.request(request);
      const isWatch = request.path.includes("watch=true");
      return isWatch ? { ...answer, body: until(answer, current.signal) } : answer;
    },
    upgrade: (request) => inner.upgrade(request),
    close: () => inner.close(),
  };
  const client = new Client(transport);
  onTestFinished(() => client.close());
  return {
    client,
    writes,
    cut: () => {
      current.abort();
      current = new AbortController();
    },
  };
}

async function* until({ body }: ApiResponse, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const cut = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("connection reset by the test")), { once: true });
  });
  cut.catch(() => undefined);
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), cut]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    void chunks.return?.().then(undefined, () => undefined);
  }
}

it("an informer is equal to a list after many writes and cut connections", async () => {
  const { oracle, client: admin, namespace } = fixture;
  const { client, cut } = cuttable(oracle);
  const informers = createInformers({
    client,
    clock: realClock,
    random: seededRandom(1),
    namespaces: [namespace],
  });
  const ours = informers.seeWritesOf(client);
  const informer = informers.of(ConfigMap);
  const handled = new Map<string, string>();
  informer.onEvent(({ type, object }) => {
    const key = keyToString(object.metadata);
    if (type === "deleted") handled.delete(key);
    else handled.set(key, object.metadata.resourceVersion);
  });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const run = informers.run(stop.signal);
  await informer.synced();
  const random = seededRandom("writes");
  const seen: [written: string, read: string][] = [];
  for (let index = 0; index < 300; index++) {
    const isOurs = random.int(2) === 0;
    const maps = (isOurs ? ours : admin).of(ConfigMap);
    const key = fixture.key(`map-${random.int(12)}`);
    if (random.int(25) === 0) cut();
    const write =
      random.int(4) === 0
        ? maps.delete(key)
        : maps.apply({ metadata: key, data: { n: String(index) } }, { fieldManager: "t", force: true });
    const version = await write
      .then((object) => object?.metadata.resourceVersion ?? "gone")
      .catch(() => "failed");
    if (isOurs && version !== "failed") {
      seen.push([version, informer.get(key)?.metadata.resourceVersion ?? "gone"]);
    }
  }
  expect(seen.length).toBeGreaterThan(50);
  expect(seen.filter(([written, read]) => written !== read)).toEqual([]);
  const { items } = await admin.of(ConfigMap).list({ namespace }).all();
  const listed = Object.fromEntries(
    items.map((item) => [keyToString(item.metadata), item.metadata.resourceVersion]),
  );
  await expect
    .poll(() =>
      Object.fromEntries(
        informer.list().map((item) => [keyToString(item.metadata), item.metadata.resourceVersion]),
      ),
    )
    .toEqual(listed);
  expect(Object.fromEntries(handled)).toEqual(listed);
  stop.abort();
  await run;
});

it("a controller makes children, repairs them, sends nothing without need, and cleans up", async () => {
  const { oracle, client: admin, namespace } = fixture;
  const { client, writes } = cuttable(oracle);
  const finalizer = "example.com/clean";
  const cleaned: string[] = [];
  const manager = createManager({
    client,
    clock: realClock,
    random: seededRandom(1),
    name: "maps-to-deployments",
    namespaces: [namespace],
  });
  let runs = 0;
  manager.add(
    defineController({
      name: "maps-to-deployments",
      for: ConfigMap,
      select: { labelSelector: { deploy: "yes" } },
      owns: [Deployment],
      async reconcile(run) {
        runs++;
        const { object } = run;
        if (object === undefined) return undefined;
        if (object.metadata.deletionTimestamp !== undefined) {
          await removeFinalizer(run, ConfigMap, object, finalizer);
          cleaned.push(object.metadata.name);
          return undefined;
        }
        const owner = await ensureFinalizer(run, ConfigMap, object, finalizer);
        await run.apply(Deployment, deploymentOf(owner.metadata.name, namespace, owner.data?.["replicas"]), {
          owner,
        });
        run.events.record(owner, { reason: "Applied", message: "The deployment is as it should be" });
        return undefined;
      },
    }),
  );
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const running = manager.run(stop.signal);
  await manager.ready();

  const key = fixture.key("web");
  await admin
    .of(ConfigMap)
    .create({ metadata: { ...key, labels: { deploy: "yes" } }, data: { replicas: "2" } });
  const deployments = manager.informers.of(Deployment);
  await expect.poll(() => deployments.get(key)?.spec?.replicas).toBe(2);
  const made = deployments.get(key);
  expect(made === undefined ? undefined : controllerOf(made)).toMatchObject({
    kind: "ConfigMap",
    name: "web",
  });

  // Somebody else changes what is ours.
  await admin.of(Deployment).patch(key, { merge: { spec: { replicas: 7 } } });
  await expect.poll(async () => (await admin.of(Deployment).get(key)).spec?.replicas).toBe(2);
  await expect.poll(() => deployments.get(key)?.spec?.replicas).toBe(2);

  // A reason to look that changes nothing: no write, although the server has filled in much that we did not say.
  const looked = runs;
  writes.length = 0;
  await admin.of(ConfigMap).patch(key, { merge: { metadata: { annotations: { look: "again" } } } });
  await expect.poll(() => runs).toBeGreaterThan(looked);
  expect(writes.filter((path) => path.includes("deployments"))).toEqual([]);

  await admin.of(ConfigMap).delete(key);
  await expect.poll(() => cleaned).toEqual(["web"]);
  await expect(admin.of(ConfigMap).get(key)).rejects.toMatchObject({ status: { code: 404 } });
  stop.abort();
  await running;
  const { items } = await admin.of(Event).list({ namespace, fieldSelector: "reason=Applied" }).all();
  expect(items).toMatchObject([
    { involvedObject: { kind: "ConfigMap", name: "web" }, source: { component: "maps-to-deployments" } },
  ]);
});

it("shows that an object is gone when its last finalizer is, and that a namespace still goes", async () => {
  const { client } = fixture;
  const informers = createInformers({ client, clock: realClock, random: seededRandom(1) });
  const ours = informers.seeWritesOf(client);
  const maps = informers.of(ConfigMap);
  const namespaces = informers.of(Namespace);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  void informers.run(stop.signal);
  await informers.synced();
  const key = fixture.key("held");
  await ours.of(ConfigMap).create({ metadata: { ...key, finalizers: ["example.com/x"] } });
  await ours.of(ConfigMap).delete(key);
  expect(maps.get(key)?.metadata.deletionTimestamp).toBeDefined();
  await ours.of(ConfigMap).patch(key, { merge: { metadata: { finalizers: null } } });
  expect(maps.get(key)).toBeUndefined();
  await ours.of(Namespace).create({ metadata: { name: "going" }, spec: {} });
  await ours.of(Namespace).delete({ name: "going" });
  // Nobody runs here that would empty it.
  expect(namespaces.get({ name: "going" })?.status?.phase).toBe("Terminating");
});

function deploymentOf(name: string, namespace: string, replicas = "1") {
  const labels = { app: name };
  return {
    metadata: { namespace, name, labels },
    spec: {
      replicas: Number(replicas),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "main",
              image: "nginx:1",
              ports: [{ containerPort: 80 }, { containerPort: 81, name: "other" }],
              env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
              resources: { requests: { cpu: "1000m", memory: "64Mi" } },
              volumeMounts: [{ name: "data", mountPath: "/data" }],
            },
          ],
          volumes: [{ name: "data", emptyDir: {} }],
          tolerations: [{ key: "k", operator: "Exists" }],
        },
      },
    },
  };
}

it("of two managers that share a Lease one leads, and the other when the first gives it back", async () => {
  const { client, namespace } = fixture;
  const lead = (identity: string): { readonly leads: Promise<void>; stop(): Promise<void> } => {
    const leaderElection = { namespace, name: "shared", identity };
    const manager = createManager({
      client,
      clock: realClock,
      random: seededRandom(identity),
      name: identity,
      leaderElection,
    });
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const run = manager.run(end.signal);
    const stop = async (): Promise<void> => {
      end.abort();
      await run;
    };
    return { leads: manager.ready(), stop };
  };
  const holder = async () => (await client.of(Lease).get({ namespace, name: "shared" })).spec;
  const first = lead("first");
  await first.leads;
  expect(await holder()).toMatchObject({ holderIdentity: "first", leaseTransitions: 0 });
  const second = lead("second");
  await first.stop();
  await second.leads;
  expect(await holder()).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
  await second.stop();
  expect(await holder()).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
});
