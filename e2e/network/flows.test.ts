import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { inBackground, realClock, realRandom, silentLogger } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { createPodNetwork, createServiceProxy, type NetworkCommands } from "@kedge/network";
import { createInformers } from "@kedge/runtime";
import { createMemoryStore } from "@kedge/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordNetwork } from "../testing/record-network.ts";
import { needs } from "../testing/needs.ts";
import { testRanges } from "../testing/test-ranges.ts";
import { networkCommands } from "./testing/machines.ts";

const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const tracked = "/proc/net/nf_conntrack";
const clock = realClock;
const random = realRandom;
/** Where pods answer datagrams with their name. */
const port = 5300;
const key = { namespace: "default", name: "names" };

describe(
  "flows of datagrams of a client that keeps its port",
  needs(isRoot ? undefined : "needs root on Linux"),
  () => {
    let commands: NetworkCommands;
    let node: Awaited<ReturnType<typeof startNode>>;
    beforeAll(async () => {
      commands = await networkCommands();
      node = await startNode(commands);
    });
    afterAll(() => node[Symbol.asyncDispose]());

    it("go to another endpoint when theirs is gone", async () => {
      await using one = await node.startPod("one");
      await using two = await node.startPod("two");
      await using asker = await node.startPod("asker");
      await node.lead([one.address]);
      await expect.poll(() => asker.ask(node.service, 80)).toBe("one");
      await node.lead([two.address]);
      await expect.poll(() => asker.ask(node.service, 80)).toBe("two");
    });

    it("do so, too, when that happened while no proxy was there", async () => {
      await using one = await node.startPod("one");
      await using two = await node.startPod("two");
      await using asker = await node.startPod("asker");
      await node.lead([one.address]);
      await expect.poll(() => asker.ask(node.service, 80)).toBe("one");
      await node.stopProxy();
      await node.lead([two.address]);
      expect(await asker.ask(node.service, 80)).toBe("one");
      node.startProxy();
      await expect.poll(() => asker.ask(node.service, 80)).toBe("two");
    });

    it("are left alone when they are nobody's business here, or still right", async ({ skip }) => {
      if (!existsSync(tracked)) skip(`there is no ${tracked}`);
      await using one = await node.startPod("one");
      await using two = await node.startPod("two");
      await using asker = await node.startPod("asker");
      await node.lead([one.address]);
      await expect.poll(() => asker.ask(node.service, 80)).toBe("one");
      // Straight to a pod, past any service.
      expect(await asker.ask(two.address, port)).toBe("two");
      const flowsOf = (address: string): number =>
        flows().filter((line) => line.includes(`src=${asker.address} dst=${address} `)).length;
      expect([flowsOf(node.service), flowsOf(two.address)]).toEqual([1, 1]);
      await node.lead([one.address, two.address]);
      await expect.poll(() => node.looked()).toBe(true);
      expect([flowsOf(node.service), flowsOf(two.address)]).toEqual([1, 1]);
    });

    it("are forgotten when their pod goes, before another has its address", async ({ skip }) => {
      if (!existsSync(tracked)) skip(`there is no ${tracked}`);
      const one = await node.startPod("one");
      await using two = await node.startPod("two");
      await using asker = await node.startPod("asker");
      expect(await asker.ask(one.address, port)).toBe("one");
      expect(await asker.ask(two.address, port)).toBe("two");
      const flowsOf = (address: string): number =>
        flows().filter((line) => line.includes(`=${address} `)).length;
      expect(flowsOf(one.address)).toBe(1);
      await one[Symbol.asyncDispose]();
      expect(flowsOf(one.address)).toBe(0);
      expect(flowsOf(two.address)).toBe(1);
    });
  },
);

function flows(): readonly string[] {
  return readFileSync(tracked, "utf8").split("\n");
}

/** A node's network with a service of datagrams. */
async function startNode(machine: NetworkCommands) {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "kedge-flows-"));
  stack.defer(() => rm(folder, { recursive: true }));
  let looks = 0;
  const commands: NetworkCommands = {
    ...machine,
    async perl(program, input) {
      const said = await machine.perl(program, input);
      looks++;
      return said;
    },
  };
  const ranges = await testRanges();
  const id = Array.from({ length: 6 }, () => random.int(16).toString(16)).join("");
  const network = { id, ...ranges, podCIDR: ranges.podRange, domain: "cluster.local" };
  const shared = { commands, clock, logger: silentLogger };
  await recordNetwork(network);
  const pods = createPodNetwork({ network, folder, ...shared });
  await pods.start();
  stack.defer(() => pods.remove());

  const store = createMemoryStore({ clock });
  stack.defer(() => store.close());
  const api = createApiServer({ store, clock, random, serviceRange: ranges.serviceRange });
  await api.start();
  stack.defer(() => api.close());
  const { handle, upgrade } = api.doorFor({ name: "admin", groups: ["system:masters"] });
  const client = new Client(inProcessTransport(handle, upgrade), { clock, random });
  const { spec } = await client.of(Service).create({
    metadata: key,
    spec: { ports: [{ port: 80, targetPort: port, protocol: "UDP" }] },
  });
  await client.of(EndpointSlice).create({
    metadata: { ...key, labels: { "kubernetes.io/service-name": key.name } },
    addressType: "IPv4",
    endpoints: [],
    ports: [{ port, protocol: "UDP" }],
  });

  let stopProxy = (): Promise<void> => Promise.resolve();
  const startProxy = (): void => {
    const ending = new AbortController();
    const informers = createInformers({ client, clock, random });
    const running = createServiceProxy({ network, informers, ...shared }).run(ending.signal);
    const watching = informers.run(ending.signal);
    for (const work of [running, watching]) inBackground(work, () => undefined);
    stopProxy = async () => {
      ending.abort();
      await Promise.all([running, watching]);
    };
  };
  startProxy();
  stack.defer(() => stopProxy());
  const all = stack.move();
  return {
    service: spec?.clusterIP ?? "",
    startProxy,
    stopProxy: () => stopProxy(),
    /** Whether flows were looked at since the service was last led elsewhere. */
    looked: () => looks > 0,
    async lead(addresses: readonly string[]) {
      looks = 0;
      const endpoints = addresses.map((address) => ({ addresses: [address], conditions: { ready: true } }));
      await client.of(EndpointSlice).patch(key, { merge: { endpoints } });
    },
    async startPod(name: string) {
      const { address, namespacePath } = await pods.attach(name);
      const speaker = await startSpeaker(namespacePath, name);
      let isGone = false;
      return {
        address,
        ask: (to: string, at: number) => speaker.ask(to, at),
        [Symbol.asyncDispose]: async () => {
          if (isGone) return;
          isGone = true;
          await speaker[Symbol.asyncDispose]();
          await pods.detach(name);
        },
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A process in a pod that answers datagrams with its name, and asks others, always from the same port. */
async function startSpeaker(namespacePath: string, name: string) {
  const child = spawn("nsenter", [`--net=${namespacePath}`, process.execPath, "-e", program, name], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const said = async (): Promise<string> => {
    const [text] = (await once(child.stdout, "data")) as [Buffer];
    return text.toString().trim();
  };
  await said();
  return {
    /** The name of who answers; `nobody` when there is no answer. */
    async ask(address: string, at: number): Promise<string> {
      const answer = said();
      child.stdin.write(`${JSON.stringify([address, at])}\n`);
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const program = `
const dgram = require("node:dgram");
const server = dgram.createSocket("udp4").on("error", () => undefined);
server.on("message", (text, from) => server.send(process.argv[1], from.port, from.address));
const asker = dgram.createSocket("udp4").on("error", () => undefined);
server.bind(${port}, () => asker.bind(5301, () => {
  console.log("listening");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const [address, port] = JSON.parse(line);
    const done = (text) => { clearTimeout(timer); asker.removeAllListeners("message"); console.log(String(text)); };
    const timer = setTimeout(() => done("nobody"), 500);
    asker.once("message", done).send("?", port, address, () => undefined);
  });
}));`;
