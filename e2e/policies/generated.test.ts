import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { inBackground, realClock, realRandom, seededRandom, silentLogger } from "@kedge/machinery";
import { Namespace, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { createNetworkPolicies, createPodNetwork } from "@kedge/network";
import { madeUpLabels, madeUpPolicy, madeUpPortNames } from "@kedge/network/testing/made-up-policies";
import { isAllowed, type ModelEnd } from "@kedge/network/testing/policy-model";
import { createInformers } from "@kedge/runtime";
import { createMemoryStore } from "@kedge/store";
import { beforeAll, describe, expect, it } from "vitest";
import { networkCommands } from "../network/testing/machines.ts";
import { needs } from "../testing/needs.ts";
import { recordNetwork } from "../testing/record-network.ts";
import { testRanges } from "../testing/test-ranges.ts";
import { startProber, type Attempt, type Prober } from "./testing/prober.ts";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const clock = realClock;
/** `KEDGE_TEST_SEED=<number>` makes up others. */
const seed = process.env["KEDGE_TEST_SEED"] ?? "1";
const rounds = 20;
const namespaces = ["a", "b", "c"];
const tcp = [80, 81, 8080];
const udp = [5353];

/** Someone in the cluster, or, without a pod, someone else. */
interface Inhabitant {
  readonly name: string;
  readonly namespace: string;
  readonly address: string;
  readonly prober: Prober;
}

describe("network policies", needs(isRoot ? undefined : "needs root on Linux"), () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;

  beforeAll(async () => {
    cluster = await startCluster();
    return () => cluster[Symbol.asyncDispose]();
  });

  it(`allow and refuse connections as the specification says (seed ${seed})`, async ({ annotate }) => {
    const { client, inhabitants } = cluster;
    const random = seededRandom(`policies ${seed}`);
    const counts = { policies: 0, allowed: 0, refused: 0 };
    const labels = new Map<string, Record<string, string>>();
    const relabel = async (name: string): Promise<void> => {
      labels.set(name, madeUpLabels(random));
      const merge = { metadata: { labels: { app: null, tier: null, ...labels.get(name) } } };
      if (namespaces.includes(name)) await client.of(Namespace).patch({ name }, { merge });
      else {
        const { namespace = "" } = inhabitants.find((one) => one.name === name) ?? {};
        await client.of(Pod).patch({ namespace, name }, { merge });
      }
    };
    const everybody = [...namespaces, ...inhabitants.filter(isPod).map(({ name }) => name)];
    for (const name of everybody) await relabel(name);

    for (let round = 1; round <= rounds; round++) {
      // Some labels change, all policies do.
      for (const name of everybody) if (random.int(4) === 0) await relabel(name);
      for (const { metadata } of (await client.of(NetworkPolicy).list().all()).items)
        if (random.int(3) > 0) await client.of(NetworkPolicy).delete(metadata);
      const place = {
        namespaces,
        addresses: inhabitants.map(({ address }) => address),
        ports: [...tcp, 82, ...udp],
      };
      for (let i = 0; i < 3; i++) {
        counts.policies += 1;
        await client.of(NetworkPolicy).create(madeUpPolicy(random, place, `p${round}-${i}`));
      }
      const { items: policies } = await client.of(NetworkPolicy).list().all();
      const model = {
        policies,
        namespaces: Object.fromEntries(namespaces.map((name) => [name, labels.get(name) ?? {}])),
      };
      const ends = new Map(inhabitants.map((one) => [one.name, modelEnd(one, labels.get(one.name))]));
      const expected = inhabitants.map((from) =>
        attemptsOf(from, inhabitants).map(({ to, attempt }) => {
          const [one, other] = [ends.get(from.name), ends.get(to.name)];
          if (one === undefined || other === undefined) throw new Error("nobody");
          return isAllowed(model, { from: one, to: other, ...attempt });
        }),
      );
      const described = (answers: readonly (readonly boolean[])[]): readonly string[] =>
        inhabitants.flatMap((from, i) =>
          attemptsOf(from, inhabitants).map(
            ({ to, attempt }, j) =>
              `${from.name} → ${to.name} ${attempt.protocol} ${attempt.port}: ${answers[i]?.[j] === true ? "allowed" : "refused"}`,
          ),
        );
      await expect
        .poll(
          async () =>
            described(
              await Promise.all(
                inhabitants.map((from) =>
                  from.prober.reaches(attemptsOf(from, inhabitants).map(({ attempt }) => attempt)),
                ),
              ),
            ),
          {
            interval: 20,
            timeout: 20_000,
            message: `round ${round}: ${JSON.stringify(policies.map(({ metadata, spec }) => [metadata.namespace, spec]))}`,
          },
        )
        .toEqual(described(expected));
      counts.allowed += expected.flat().filter(Boolean).length;
      counts.refused += expected.flat().filter((is) => !is).length;
    }
    await annotate(
      `${counts.policies} policies: ${counts.allowed} allowed and ${counts.refused} refused connections`,
      "count",
    );
    expect(counts.policies).toBeGreaterThanOrEqual(60);
    expect(Math.min(counts.allowed, counts.refused)).toBeGreaterThan(500);
  });
});

function isPod({ name }: Inhabitant): boolean {
  return name !== "outside";
}

function attemptsOf(
  from: Inhabitant,
  inhabitants: readonly Inhabitant[],
): readonly { readonly to: Inhabitant; readonly attempt: Attempt }[] {
  const others = inhabitants.filter((to) => to !== from);
  return others.flatMap((to) => [
    ...tcp.map((port) => ({ to, attempt: { protocol: "TCP" as const, address: to.address, port } })),
    ...udp.map((port) => ({ to, attempt: { protocol: "UDP" as const, address: to.address, port } })),
  ]);
}

function modelEnd(one: Inhabitant, labels: Record<string, string> | undefined): ModelEnd {
  if (!isPod(one)) return { address: one.address };
  return {
    address: one.address,
    pod: { namespace: one.namespace, labels: labels ?? {}, ports: portsOf(one.name) },
  };
}

/** The same names mean other numbers in other pods. */
function portsOf(name: string): readonly { name: string; protocol: string; port: number }[] {
  const [main = "", side = ""] = madeUpPortNames;
  const isOdd = /[135]/u.test(name);
  return [
    { name: main, protocol: "TCP", port: isOdd ? 80 : 8080 },
    { name: side, protocol: isOdd ? "TCP" : "UDP", port: isOdd ? 81 : 5353 },
  ];
}

/** Six pods of two nodes and someone else, an API server, and the keepers of the policies of both nodes. */
async function startCluster() {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "kedge-policies-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const commands = await networkCommands();
  const ranges = await testRanges();
  const random = realRandom;
  const id = Array.from({ length: 6 }, () => random.int(16).toString(16)).join("");
  const shared = { commands, clock, logger: silentLogger };
  const network = { id, ...ranges, podCIDR: ranges.podRange.replace("/16", "/24"), domain: "cluster.local" };
  await recordNetwork(network);
  const pods = createPodNetwork({ network, folder, ...shared });
  await pods.start();
  stack.defer(() => pods.remove());

  const store = createMemoryStore({ clock });
  stack.defer(() => store.close());
  const api = createApiServer({ store, clock, random });
  await api.start();
  stack.defer(() => api.close());
  const { handle, upgrade } = api.doorFor({ name: "admin", groups: ["system:masters"] });
  const client = new Client(inProcessTransport(handle, upgrade), { clock, random });

  const inhabitants: Inhabitant[] = [];
  for (const name of namespaces) {
    await client.of(Namespace).create({ metadata: { name } });
    await client.of(ServiceAccount).create({ metadata: { namespace: name, name: "default" } });
  }
  for (const name of ["pod-1", "pod-2", "pod-3", "pod-4", "pod-5", "pod-6", "outside"]) {
    const { address, namespacePath } = await pods.attach(name);
    const prober = await startProber(namespacePath, { tcp, udp });
    stack.use(prober);
    const number = Number(name.slice(-1));
    const namespace = namespaces[number % 3] ?? "";
    inhabitants.push({ name, namespace, address, prober });
    if (name === "outside") continue;
    const ports = portsOf(name).map(({ port, ...rest }) => ({ ...rest, containerPort: port }));
    await client.of(Pod).create({
      metadata: { namespace, name },
      spec: { nodeName: `node-${number % 2}`, containers: [{ name: "main", image: "none", ports }] },
    });
    await client
      .of(Pod)
      .status.patch({ namespace, name }, { merge: { status: { phase: "Running", podIP: address } } });
  }

  const informers = createInformers({ client, clock, random });
  const ending = new AbortController();
  const keepers = ["node-0", "node-1"].map((nodeName, i) =>
    // Each has a table of its own. What it does for its pods does not depend on where it is.
    createNetworkPolicies({
      ...shared,
      network: i === 0 ? network : { ...network, id: network.id.slice(0, 5) },
      nodeName,
      informers,
    }),
  );
  const running = keepers.map((keeper) => keeper.run(ending.signal));
  const watching = informers.run(ending.signal);
  for (const work of [...running, watching]) inBackground(work, () => undefined);
  stack.defer(async () => {
    ending.abort();
    await Promise.all([...running, watching]);
    await commands.nft(`delete table ip kedge-${network.id.slice(0, 5)}-policies\n`);
  });
  const all = stack.move();
  return { client, inhabitants, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
