import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { inBackground, realClock, realRandom, silentLogger } from "@kedge/machinery";
import { Namespace, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { createNetworkPolicies, createPodNetwork, networkNames, type NetworkCommands } from "@kedge/network";
import { madeUpPortNames } from "@kedge/network/testing/made-up-policies";
import { createInformers } from "@kedge/runtime";
import { createMemoryStore } from "@kedge/store";
import { networkCommands } from "../../network/testing/machines.ts";
import { recordNetwork } from "../../testing/record-network.ts";
import { testRanges } from "../../testing/test-ranges.ts";
import { startProber, type Prober } from "./prober.ts";

const clock = realClock;

/** The namespaces of the cluster. */
export const namespaces = ["a", "b", "c"];
/** Ports that all inhabitants answer on. */
export const tcp = [80, 81, 8080];
/** The same, for datagrams. */
export const udp = [5353];

/** Someone in the cluster, or, without a pod, someone else. */
export interface Inhabitant {
  readonly name: string;
  readonly namespace: string;
  readonly address: string;
  /** Its network namespace. */
  readonly inside: string;
  readonly prober: Prober;
}

/** Pods on two nodes, someone else, an API server, and the keepers of the policies of both nodes. */
export interface PolicyCluster extends AsyncDisposable {
  readonly client: Client;
  readonly commands: NetworkCommands;
  /** The tables of both nodes' policies. */
  readonly tables: readonly string[];
  readonly inhabitants: readonly Inhabitant[];
  /** The node's end of the veth pair of an inhabitant. */
  vethOf(name: string): string;
}

/** Why policies cannot be tried here; undefined: they can. */
export function whyNoPolicies(): string | undefined {
  return process.platform === "linux" && process.getuid?.() === 0 ? undefined : "needs root on Linux";
}

/** The ports that a pod has names for. The same names mean other numbers in other pods. */
export function portsOf(name: string): readonly { name: string; protocol: string; port: number }[] {
  const [main = "", side = ""] = madeUpPortNames;
  const isOdd = /[135]/u.test(name);
  return [
    { name: main, protocol: "TCP", port: isOdd ? 80 : 8080 },
    { name: side, protocol: isOdd ? "TCP" : "UDP", port: isOdd ? 81 : 5353 },
  ];
}

/** Whether it is a pod. */
export function isPod({ name }: Inhabitant): boolean {
  return name !== "outside";
}

/** Starts one with six pods. */
export async function startPolicyCluster(): Promise<PolicyCluster> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "kedge-policies-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const commands = await networkCommands();
  const ranges = await testRanges();
  const random = realRandom;
  const id = Array.from({ length: 6 }, () => random.int(16).toString(16)).join("");
  // Its rules about interfaces mean the same.
  const otherId = id.slice(0, 5);
  const shared = { commands, clock, logger: silentLogger };
  const network = { id, ...ranges, podCIDR: ranges.podRange.replace("/16", "/24"), domain: "cluster.local" };
  await recordNetwork(network);
  await recordNetwork({ ...network, id: otherId });
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
    inhabitants.push({ name, namespace, address, inside: basename(namespacePath), prober });
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
      network: i === 0 ? network : { ...network, id: otherId },
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
    await commands.nft(`delete table ip ${networkNames({ id: otherId }).policies}\n`);
  });
  const all = stack.move();
  const tables = [id, otherId].map((one) => networkNames({ id: one }).policies);
  const { vethOf } = networkNames(network);
  return { client, commands, tables, inhabitants, vethOf, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
