import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { inBackground, realClock, realRandom, silentLogger } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { createPodNetwork, createServiceProxy, freeRanges, type NetworkCommands } from "@kedge/network";
import { createInformers } from "@kedge/runtime";
import { createMemoryStore } from "@kedge/store";
import { beforeAll, describe, expect, it } from "vitest";
import { connects, listenIn, networkCommands, otherMachine, port } from "./testing/machines.ts";
import { needs } from "../testing/needs.ts";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const id = "e2e0e3";
const nodePort = 30_801;
/** This machine, as the other one sees it. */
const here = "198.51.100.1";

describe("a node port", needs(isRoot ? undefined : "needs root on Linux"), () => {
  let commands: NetworkCommands;
  beforeAll(async () => {
    commands = await networkCommands();
  });

  it.each([
    { who: "only this machine, by default", exposeNodePorts: false, others: false },
    { who: "other machines, when it is exposed", exposeNodePorts: true, others: true },
  ])("is open to $who", async ({ exposeNodePorts, others }) => {
    await using stranger = await otherMachine(commands, id);
    await using node = await startNode(commands, exposeNodePorts);
    await expect.poll(() => connects(here, nodePort).catch(() => false)).toBe(true);
    expect(await stranger.connects(here, nodePort)).toBe(others);
    // Whatever is forwarded, the pod itself is nobody's.
    expect(await stranger.connects(node.podAddress)).toBe(false);
  });
});

/** The network of a node with one pod behind a service that has a node port. */
async function startNode(commands: NetworkCommands, exposeNodePorts: boolean) {
  const folder = await mkdtemp(join(tmpdir(), "kedge-network-"));
  const ranges = freeRanges();
  const shared = { commands, clock: realClock, logger: silentLogger };
  const network = { id, ...ranges, podCIDR: ranges.podRange, domain: "cluster.local", exposeNodePorts };
  const pods = createPodNetwork({ network, folder, ...shared });
  await pods.remove();
  await pods.start();
  const { address, namespacePath } = await pods.attach("pod-a");
  const server = await listenIn(namespacePath);

  const store = createMemoryStore({ clock: realClock });
  const api = createApiServer({
    store,
    clock: realClock,
    random: realRandom,
    serviceRange: ranges.serviceRange,
  });
  await api.start();
  const { handle, upgrade } = api.doorFor({ name: "admin", groups: ["system:masters"] });
  const client = new Client(inProcessTransport(handle, upgrade), { clock: realClock, random: realRandom });
  await client.of(Service).create({
    metadata: { name: "a", namespace: "default" },
    spec: { type: "NodePort", ports: [{ port: 80, targetPort: port, nodePort }] },
  });
  await client.of(EndpointSlice).create({
    metadata: { name: "a", namespace: "default", labels: { "kubernetes.io/service-name": "a" } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ port, protocol: "TCP" }],
  });
  const informers = createInformers({ client, clock: realClock, random: realRandom });
  const ending = new AbortController();
  const proxy = createServiceProxy({ network, informers, ...shared });
  const running = proxy.run(ending.signal);
  inBackground(running, () => undefined);
  inBackground(informers.run(ending.signal), () => undefined);
  return {
    podAddress: address,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await running;
      await api.close();
      await store.close();
      await server[Symbol.asyncDispose]();
      await pods.remove();
      await rm(folder, { recursive: true });
    },
  };
}
