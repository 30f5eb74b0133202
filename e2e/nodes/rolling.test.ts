import { Resolver } from "node:dns/promises";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { beforeAll, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { agentsIn } from "./testing/agents.ts";
import { startLoad } from "./testing/http-load.ts";
import { createWeb, readyPods, webService, type WebPod } from "./testing/web.ts";

const namespace = "default";
const name = "web";
const nodes = ["kedge", "kedge-2", "kedge-3"];
const patience = { interval: 200, timeout: 240_000 };

/** A server that ends when it is told to, without a thought for connections that it has. */
const serve = [
  "mkdir /tmp/www",
  "echo hello >/tmp/www/index.html",
  "httpd -f -p 80 -h /tmp/www &",
  "trap 'kill $!; exit 0' TERM",
  "wait",
].join("\n");

const listening = "cat /proc/net/tcp /proc/net/tcp6 | grep -q ':0050 .* 0A '";

/** Ends when nobody has connected for three seconds: then all proxies know that the pod is leaving. */
const drain = [
  "opened() { awk '/^Tcp: [0-9]/ { print $7 }' /proc/net/snmp; }",
  "quiet=0",
  "while [ $quiet -lt 3 ]; do",
  "  before=$(opened); sleep 1",
  '  if [ "$(opened)" = "$before" ]; then quiet=$((quiet + 1)); else quiet=0; fi',
  "done",
].join("\n");

const container = {
  name,
  image: "busybox:1",
  command: ["sh", "-c", serve],
  // Without a connection: those are counted.
  readinessProbe: { exec: { command: ["sh", "-c", listening] }, periodSeconds: 1 },
  lifecycle: { preStop: { exec: { command: ["sh", "-c", drain] } } },
};

/** Asks the Service by its name again and again; says so when that fails, and how often it did not when it is stopped. */
const ask = [
  "trap 'echo answered $n; exit 0' TERM",
  "n=0",
  "while :; do",
  "  if wget -q -T 20 -O /dev/null http://web/; then n=$((n + 1)); else echo failed; fi",
  "  sleep 0.02",
  "done",
].join("\n");

interface Met {
  /** Of this machine. */
  readonly failures: readonly string[];
  readonly answered: number;
  /** What the pods say that ask. */
  readonly logs: readonly string[];
}

const nothingLost: Met = {
  failures: [],
  answered: expect.toSatisfy((count: number) => count > 100) as number,
  logs: nodes.map(() => expect.stringMatching(/^answered \d{2,}$/u) as string),
};

// The tests follow each other: each goes on with the cluster as the one before has left it.
describe("a Deployment that rolls on three nodes under load", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  let address: string;
  let urls: readonly string[];

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--nodes", "3", "--no-operators"] });
    return () => cluster[Symbol.asyncDispose]();
  });

  it("has a pod on each node to begin with", async () => {
    const { client } = cluster;
    await createWeb(client, 3, { spec: { containers: [container], terminationGracePeriodSeconds: 120 } });
    await expect.poll(async () => nodesOf(await readyPods(client)), patience).toEqual(nodes);
    const service = await webService(client);
    ({ address } = service);
    const hosts = (await readyPods(client)).map((pod) => pod.address.replace(/\d+$/u, "1"));
    urls = [`http://${service.address}/`, ...hosts.map((host) => `http://${host}:${service.nodePort}/`)];
  });

  it("loses no request, from this machine and from pods on each node", async () => {
    const met = await loadWhile(() => roll("1"));
    expect(met).toEqual(nothingLost);
  });

  it("loses none while agents are killed and start again", async () => {
    const met = await loadWhile(async () => {
      const rolled = roll("2");
      for (const node of nodes) {
        const agentNow = (): number | undefined => agentsIn(cluster.dir).get(`node/${node}`);
        const agent = agentNow();
        if (agent === undefined) throw new Error(`no agent of ${node}`);
        process.kill(agent, "SIGKILL");
        await expect.poll(agentNow, patience).toSatisfy((next) => next !== undefined && next !== agent);
        // Were the next one killed before this one answers names again, nobody might.
        await expect.poll(() => addressSaidBy(node), patience).toBe(address);
      }
      await rolled;
    });
    expect(met).toEqual(nothingLost);
  });

  /** Where the name server of a node says that the Service is. */
  async function addressSaidBy(node: string): Promise<string | undefined> {
    const { status } = await cluster.client.of(Node).get({ name: node });
    const resolver = new Resolver({ timeout: 2000, tries: 1 });
    resolver.setServers([status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? ""]);
    const said = await resolver.resolve4(`${name}.${namespace}.svc.cluster.local`).catch(() => []);
    return said[0];
  }

  /** What requests have met while something happened. */
  async function loadWhile(work: () => Promise<void>): Promise<Met> {
    const askers = await startAskers(cluster);
    const load = startLoad(urls);
    try {
      await work();
    } finally {
      await load.stop();
    }
    return { failures: load.failures, answered: load.answered(), logs: await askers.stop() };
  }

  /** Gives all pods another label, one after the other. Resolves when the last old one is gone. */
  async function roll(version: string): Promise<void> {
    const { client } = cluster;
    const template = { metadata: { labels: { version } } };
    await client.of(Deployment).patch({ namespace, name }, { merge: { spec: { template } } });
    const versions = async (): Promise<readonly unknown[]> => {
      const { items } = await client
        .of(Pod)
        .list({ namespace, labelSelector: `app=${name}` })
        .all();
      return items.map(({ metadata, status }) => [
        metadata.labels?.["version"],
        status?.conditions?.find(({ type }) => type === "Ready")?.status,
      ]);
    };
    await expect.poll(versions, patience).toEqual(Array.from({ length: 3 }, () => [version, "True"]));
  }
});

/** A pod on each node that asks for the name and then at the address of the Service. */
async function startAskers({ client }: TestCluster): Promise<{ stop(): Promise<readonly string[]> }> {
  const pods = nodes.map((node) => ({ namespace, name: `ask-from-${node}` }));
  for (const [index, metadata] of pods.entries())
    await client.of(Pod).create({
      metadata,
      spec: {
        nodeName: nodes[index] ?? "",
        restartPolicy: "Never",
        containers: [{ name: "ask", image: "busybox:1", command: ["sh", "-c", ask] }],
      },
    });
  const phaseOf = async (pod: { namespace: string; name: string }): Promise<string | undefined> =>
    (await client.of(Pod).get(pod)).status?.phase;
  for (const pod of pods) await expect.poll(() => phaseOf(pod), patience).toBe("Running");
  return {
    async stop() {
      const logs: string[] = [];
      for (const pod of pods) {
        await client.of(Pod).exec.run(pod, { command: ["kill", "1"] });
        await expect.poll(() => phaseOf(pod), patience).toBe("Succeeded");
        logs.push((await client.of(Pod).log.text(pod)).trim());
        await client.of(Pod).delete(pod);
      }
      return logs;
    },
  };
}

function nodesOf(pods: readonly WebPod[]): readonly string[] {
  return pods.map(({ node }) => node);
}
