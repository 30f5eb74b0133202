import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { realClock } from "@kedge/machinery";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import { machine, machineNetworkId, nodeNamespacePath, type NetworkFaults } from "@kedge/network";
import { beforeAll, describe, expect, it } from "vitest";
import {
  changesBetween,
  containersIn,
  machineState,
  namesOf,
  type MachineState,
} from "../cluster/testing/machine.ts";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { agentsIn } from "./testing/agents.ts";
import { faultsOf } from "./testing/faults.ts";
import { createWeb, readyPods, runIn, webService, whoAnswers, type WebPod } from "./testing/web.ts";

const run = promisify(execFile);
const nodes = ["kedge", "kedge-2", "kedge-3"];
const patience = { interval: 100 };

// The tests follow each other: each goes on with the cluster as the one before has left it.
describe("a cluster of three nodes", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  let before: MachineState;
  let faults: NetworkFaults;
  let pods: readonly WebPod[];
  const ask = (from: WebPod, host: string, port?: number): Promise<string> =>
    whoAnswers(cluster.client, from, host, port);
  const podOn = (node: string): WebPod => {
    const found = pods.find((pod) => pod.node === node);
    if (found === undefined) throw new Error(`no pod on ${node}`);
    return found;
  };

  beforeAll(async () => {
    before = await machineState({ words: [], id: "" });
    cluster = await upCluster({ flags: ["--nodes", "3", "--no-operators"] });
    faults = await faultsOf(cluster.dir);
    return () => cluster[Symbol.asyncDispose]();
  });

  it("spreads the pods of a Deployment", async () => {
    await createWeb(cluster.client, 3);
    await expect.poll(() => readyPods(cluster.client), patience).toHaveLength(3);
    pods = await readyPods(cluster.client);
    expect(pods.map(({ node }) => node)).toEqual(nodes);
  });

  it("has nodes as Kubernetes shows them, each with addresses of its own", async () => {
    const { items } = await cluster.client.of(Node).list().all();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(nodes);
    for (const { metadata, spec, status } of items) {
      expect(metadata.labels).toMatchObject({ "kubernetes.io/hostname": metadata.name });
      expect(spec?.podCIDRs).toEqual([spec?.podCIDR]);
      const address = status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
      expect(address).toBe(spec?.podCIDR?.replace(/0\/24$/u, "1"));
      expect(podOn(metadata.name).address).toMatch(new RegExp(`^${spec?.podCIDR?.replace("0/24", "")}`, "u"));
    }
    expect(new Set(items.map(({ spec }) => spec?.podCIDR)).size).toBe(3);
    const { code, stdout } = await cluster.cli("status");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}nodes {7}kedge Ready, kedge-2 Ready, kedge-3 Ready$/mu);
  });

  it("leads pods to each other by address, to services by address, name and node port, and to the API server", async () => {
    const { address, nodePort } = await webService(cluster.client);
    const names = pods.map(({ name }) => name);
    const askAll = async (from: WebPod): Promise<void> => {
      for (const to of pods) {
        expect(await ask(from, to.address), `${from.node} to ${to.node}`).toBe(to.name);
        const answer = await ask(from, nodeOf(to), nodePort);
        expect(names, `${from.node} to the port of ${to.node}`).toContain(answer);
      }
      for (const host of [address, "web", "web.default.svc.cluster.local"])
        expect(names, `${from.node} to ${host}`).toContain(await ask(from, host));
      const connect = "nc -w 5 kubernetes.default.svc 443 </dev/null && echo connected";
      expect(await runIn(cluster.client, from, "sh", "-c", connect)).toBe("connected");
    };
    await Promise.all(pods.map(askAll));
  });

  it("resolves names where the machine's own resolver, on its loopback, is out of reach", async () => {
    const program = `const { Resolver } = require("node:dns").promises;
      const resolver = new Resolver();
      resolver.setServers(["127.0.0.53"]);
      resolver.resolve4("web.default.svc.cluster.local").then((found) => process.stdout.write(found.join()))`;
    const { id } = JSON.parse(readFileSync(join(cluster.dir, "cluster.json"), "utf8")) as {
      readonly id: string;
    };
    const namespace = nodeNamespacePath(machineNetworkId(id), "kedge-2");
    const { stdout } = await run("nsenter", [`--net=${namespace}`, process.execPath, "-e", program]);
    expect(stdout).toBe((await webService(cluster.client)).address);
  });

  it("answers this machine, too", async () => {
    const { address, nodePort } = await webService(cluster.client);
    const names = pods.map(({ name }) => name);
    for (const pod of pods) {
      expect(await bodyOf(pod.address)).toBe(`${pod.name} GET /\n`);
      for (const host of [address, `${nodeOf(pod)}:${nodePort}`])
        expect(names).toContain((await bodyOf(host)).split(" ")[0]);
    }
  });

  it("shows the logs of pods on each node", async () => {
    for (const { name } of pods)
      expect(await cluster.client.of(Pod).log.text({ namespace: "default", name })).toBe(
        "answering on port 80\n",
      );
  });

  it("starts an agent again that was killed, whose containers go on as the same processes", async () => {
    const containers = (): readonly unknown[] =>
      nodes.map((node) => [...containersIn(join(cluster.dir, "nodes", node))]);
    const [running, agents] = [containers(), agentsIn(cluster.dir)];
    expect(running.flat()).toHaveLength(3);
    for (const pid of agents.values()) process.kill(pid, "SIGKILL");
    await expect.poll(() => [...agentsIn(cluster.dir).values()].filter(isAlive), patience).toHaveLength(3);
    await expect
      .poll(() => runIn(cluster.client, podOn("kedge-2"), "hostname"), patience)
      .toBe(podOn("kedge-2").name);
    expect(containers()).toEqual(running);
    expect(await readyPods(cluster.client)).toEqual(pods);
  });

  it("loses what passes between two nodes when that is cut, and nothing else, until it is healed", async () => {
    const [one, two, three] = [podOn("kedge"), podOn("kedge-2"), podOn("kedge-3")];
    await faults.cut("kedge-2", "kedge-3");
    expect(await Promise.all([ask(two, three.address), ask(three, two.address)])).toEqual([
      "no answer",
      "no answer",
    ]);
    expect(await Promise.all([ask(one, two.address), ask(one, three.address)])).toEqual([
      two.name,
      three.name,
    ]);
    await faults.heal();
    expect(await Promise.all([ask(two, three.address), ask(three, two.address)])).toEqual([
      three.name,
      two.name,
    ]);
  });

  it("loses a node from the API server, while pods still reach each other", async () => {
    const [one, two] = [podOn("kedge"), podOn("kedge-2")];
    await faults.cut("kedge-2", machine);
    const cut = runIn(cluster.client, two, "hostname");
    expect(await ask(one, two.address)).toBe(two.name);
    expect(await bodyOf(two.address).catch(() => "no answer")).toBe("no answer");
    // The command was only held up.
    await faults.heal("kedge-2", machine);
    expect(await cut).toBe(two.name);
    await expect.poll(() => ask(two, one.address), patience).toBe(one.name);
  });

  it("lets less through when it is slowed", async () => {
    const [one, two] = [podOn("kedge"), podOn("kedge-2")];
    const bytes = 1024 * 1024;
    const fetched = async (): Promise<number> => {
      const serving = runIn(
        cluster.client,
        two,
        "nc",
        "-l",
        "-p",
        "9000",
        "-e",
        "head",
        "-c",
        `${bytes}`,
        "/dev/zero",
      );
      const read = `until n=$(nc ${two.address} 9000 </dev/null 2>/dev/null | wc -c); [ $n -gt 0 ]; do sleep 0.1; done; echo $n`;
      const began = realClock.monotonic();
      expect(await runIn(cluster.client, one, "sh", "-c", read)).toBe(`${bytes}`);
      await serving;
      return realClock.monotonic() - began;
    };
    await faults.slow("kedge", "kedge-2", { bytesPerSecond: bytes / 4 });
    // Four seconds' worth, less what may pass at once.
    expect(await fetched()).toBeGreaterThan(2500);
    await faults.heal();
  });

  it("keeps to network policies, also between nodes and behind services, and follows labels", async () => {
    const [one, two, three] = [podOn("kedge"), podOn("kedge-2"), podOn("kedge-3")];
    const role = (pod: WebPod, value: string | null): Promise<unknown> =>
      cluster.client
        .of(Pod)
        .patch(
          { namespace: "default", name: pod.name },
          { merge: { metadata: { labels: { role: value } } } },
        );
    const connect = "nc -w 2 kubernetes.default.svc 443 </dev/null && echo connected";
    const api = (from: WebPod): Promise<string> => runIn(cluster.client, from, "sh", "-c", connect);
    const open = async (): Promise<readonly string[]> => {
      const pairs = [one, two, three].flatMap((from) => [one, two, three].map((to) => ({ from, to })));
      const answers = await Promise.all(pairs.map(({ from, to }) => ask(from, to.address)));
      return pairs
        .filter(({ from, to }, i) => from !== to && answers[i] === to.name)
        .map(({ from, to }) => `${from.node} to ${to.node}`);
    };
    await role(one, "client");
    const policy = await cluster.client.of(NetworkPolicy).create({
      metadata: { namespace: "default", name: "web" },
      spec: {
        podSelector: { matchLabels: { app: "web" } },
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ from: [{ podSelector: { matchLabels: { role: "client" } } }], ports: [{ port: 80 }] }],
        egress: [{ to: [{ podSelector: {} }] }],
      },
    });
    await expect.poll(open, patience).toEqual(["kedge to kedge-2", "kedge to kedge-3"]);
    // By its name, which the node answers; by its address, as whose pods they are.
    const names = [two.name, three.name];
    await expect.poll(() => ask(one, "web"), patience).toBeOneOf(names);
    expect(await api(one)).not.toContain("connected");
    expect(await bodyOf(two.address).catch(() => "no answer")).toBe("no answer");
    await role(one, null);
    await role(three, "client");
    await expect.poll(open, patience).toEqual(["kedge-3 to kedge", "kedge-3 to kedge-2"]);
    // Probes come from the node, which nobody keeps out.
    expect(await readyPods(cluster.client)).toEqual(pods);
    await cluster.client.of(NetworkPolicy).delete(policy.metadata);
    await role(three, null);
    await expect.poll(open, patience).toHaveLength(6);
    expect(await api(one)).toBe("connected");
  });

  it("goes on without a node that was lost, and has it back clean", async () => {
    const lost = podOn("kedge-3");
    const stopped = await cluster.cli("node", "stop", "kedge-3", "--now");
    expect(stopped.code).toBe(0);
    expect(stopped.stdout).toContain("`kedge node start kedge-3 --dir");
    expect((await cluster.cli("status")).stdout).toMatch(
      /^ {2}nodes {7}kedge Ready, kedge-2 Ready, kedge-3 stopped$/mu,
    );
    expect([...containersIn(join(cluster.dir, "nodes/kedge-3")).values()]).toEqual([]);
    expect(await ask(podOn("kedge"), lost.address)).toBe("no answer");
    // As somebody does who knows that it is gone. It is not to come back there.
    await cluster.client.of(Node).patch({ name: "kedge-3" }, { merge: { spec: { unschedulable: true } } });
    await cluster.client.of(Pod).delete({ namespace: "default", name: lost.name }, { gracePeriodSeconds: 0 });
    await expect.poll(async () => (await readyPods(cluster.client)).length, patience).toBe(3);
    pods = await readyPods(cluster.client);
    expect(new Set(pods.map(({ node }) => node))).toEqual(new Set(["kedge", "kedge-2"]));
    const { address } = await webService(cluster.client);
    for (const from of pods)
      await expect.poll(() => ask(from, address), patience).toBeOneOf(pods.map(({ name }) => name));

    // Two at once take turns: neither takes away what the other has made.
    const starts = await Promise.all([1, 2].map(() => cluster.cli("node", "start", "kedge-3")));
    for (const start of starts)
      expect(start).toMatchObject({ code: 0, stdout: "The node kedge-3 is ready.\n" });
    await cluster.client.of(Node).patch({ name: "kedge-3" }, { merge: { spec: { unschedulable: null } } });
    await cluster.client.of(Pod).delete({ namespace: "default", name: pods[0]?.name ?? "" });
    await expect
      .poll(async () => (await readyPods(cluster.client)).map(({ node }) => node), patience)
      .toContain("kedge-3");
    pods = await readyPods(cluster.client);
    expect(await ask(podOn("kedge-2"), podOn("kedge-3").address)).toBe(podOn("kedge-3").name);
  });

  it("leaves nothing behind, also when one node is stopped, and does not become smaller", async () => {
    const names = namesOf(cluster.dir);
    expect(await cluster.cli("node", "stop", "kedge-2")).toMatchObject({ code: 0 });
    await faults.cut("kedge", "kedge-3");
    await cluster.down();
    expect(changesBetween(before, await machineState(names))).toEqual([]);
    const { code, stderr } = await cluster.cli("up", "--detach", "--nodes", "2");
    expect(code).toBe(1);
    expect(stderr).toContain("--nodes 2: the cluster has 3 nodes (kedge, kedge-2, kedge-3)");
    expect(changesBetween(before, await machineState(names))).toEqual([]);
  });
});

/** The address of a pod's node. */
function nodeOf({ address }: WebPod): string {
  return address.replace(/\d+$/u, "1");
}

async function bodyOf(host: string): Promise<string> {
  using limit = realClock.deadline(3000);
  const response = await fetch(`http://${host}/`, { signal: limit.signal });
  return await response.text();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
