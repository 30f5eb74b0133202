import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Pod, Service, type PodStatus } from "@kedge/machinery/kinds/core/v1";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import { makeRequest } from "@kedge/pki/testing/make-request";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";

const nodes = ["kedge", "kedge-2", "kedge-3"];

// The tests follow each other: each goes on with the cluster as the one before has left it.
describe("a cluster with simulated pods", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--runtime", "simulated", "--nodes", "3"] });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const keyOf = (name: string) => ({ namespace: "default", name });
  const statusOf = async (name: string): Promise<PodStatus | undefined> =>
    (await cluster.client.of(Pod).get(keyOf(name))).status;
  const create = async (name: string, behaviour: string, nodeName?: string): Promise<void> => {
    await cluster.client.of(Pod).create({
      metadata: { ...keyOf(name), annotations: { "kedge.dev/simulate": behaviour } },
      spec: { ...(nodeName && { nodeName }), containers: [{ name: "main", image: "app:1" }] },
    });
  };

  it("says that pods are simulated, and waits for no answer of the sample", async () => {
    expect(cluster.printed).toMatch(/^✓ nodes {10}3 simulated/mu);
    expect(cluster.printed).toMatch(
      /^! RedisInstance {2}default\/sample .* no Redis runs in simulated pods$/mu,
    );
    expect(cluster.printed).toMatch(
      /^Pods are simulated, as --runtime simulated says: nothing runs in them/mu,
    );
    expect(cluster.printed).not.toContain("redis cli");
    const { code, stdout } = await cluster.cli("status");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}processes {3}supervisor \d+, server \d+, nodes \d+, operator \d+$/mu);
    expect(stdout).toMatch(/\(simulated: nothing runs in them\)$/mu);
  });

  it("signs a certificate, though it loads what signs only now", async () => {
    const [name, pem] = ["ann", await makeRequest({ subject: "CN=ann" })];
    const requests = cluster.client.of(CertificateSigningRequest);
    const made = await requests.create({
      metadata: { name },
      spec: {
        request: Buffer.from(pem).toString("base64"),
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["client auth"],
      },
    });
    const conditions = [{ type: "Approved", status: "True", reason: "Test" }];
    await requests.approval.replace({ ...made, status: { conditions } });
    const signed = async (): Promise<string> => {
      const { status } = await requests.get({ name });
      const { certificate = "" } = status ?? {};
      return certificate === "" ? "" : new X509Certificate(Buffer.from(certificate, "base64")).subject;
    };
    await expect.poll(signed).toBe("CN=ann");
  });

  it.each<[string, string, object]>([
    ["runs", "", { phase: "Running" }],
    ["crashes", "exit 3", { containerStatuses: [{ state: { waiting: { reason: "CrashLoopBackOff" } } }] }],
    [
      "runs out of memory",
      "oom",
      { containerStatuses: [{ lastState: { terminated: { reason: "OOMKilled", exitCode: 137 } } }] },
    ],
    [
      "cannot be pulled",
      "fail pull",
      { phase: "Pending", containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }] },
    ],
    [
      "is told nonsense",
      "explode",
      { containerStatuses: [{ state: { waiting: { reason: "CreateContainerConfigError" } } }] },
    ],
  ])("a pod %s", async (title, behaviour, expected) => {
    const name = title.replaceAll(" ", "-");
    await create(name, behaviour);
    await expect.poll(() => statusOf(name)).toMatchObject(expected);
  });

  it("spreads a Deployment whose Service has an address, and says of pods what they do not have", async () => {
    const labels = { app: "web" };
    const container = {
      name: "web",
      image: "web:1",
      resources: { requests: { cpu: "250m", memory: "64Mi" } },
    };
    await cluster.client.of(Deployment).create({
      metadata: keyOf("web"),
      spec: {
        replicas: 30,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    const { spec } = await cluster.client.of(Service).create({
      metadata: keyOf("web"),
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    expect(spec?.clusterIP).toMatch(/^240\.96\./u);
    await expect
      .poll(async () => (await cluster.client.of(Deployment).get(keyOf("web"))).status?.readyReplicas)
      .toBe(30);
    const { items } = await cluster.client
      .of(Pod)
      .list({ namespace: "default", labelSelector: labels })
      .all();
    expect(new Set(items.map((pod) => pod.spec?.nodeName))).toEqual(new Set(nodes));
    expect(new Set(items.map(({ status }) => status?.podIP)).size).toBe(30);
    const [name = ""] = items.map(({ metadata }) => metadata.name);
    const pods = cluster.client.of(Pod);
    const says = (what: string): RegExp => new RegExp(`pod default/${name} is simulated: .* so ${what}`, "u");
    await expect(pods.log.text(keyOf(name))).rejects.toThrow(says("it has no logs"));
    await expect(pods.exec.run(keyOf(name), { command: ["true"] })).rejects.toThrow(
      says("no command can be run in it"),
    );
    const metrics = await cluster.client.discovery.kind({ group: "metrics.k8s.io", kind: "PodMetrics" });
    expect(await cluster.client.of(metrics).get(keyOf(name))).toMatchObject({
      containers: [{ name: "web", usage: { cpu: "250m", memory: "65536Ki" } }],
    });
  });

  it("stops and starts a node, whose pods then begin anew", async () => {
    await create("stays", "", "kedge-2");
    await expect.poll(() => statusOf("stays")).toMatchObject({ phase: "Running" });
    expect(await cluster.cli("node", "stop", "kedge-2")).toMatchObject({ code: 0 });
    const { stdout } = await cluster.cli("status");
    expect(stdout).toMatch(/^ {2}nodes {7}kedge Ready, kedge-2 stopped, kedge-3 Ready$/mu);
    await create("waits", "", "kedge-2");
    expect(await cluster.cli("node", "start", "kedge-2")).toMatchObject({ code: 0 });
    await expect.poll(() => statusOf("waits")).toMatchObject({ phase: "Running" });
    await expect
      .poll(() => statusOf("stays"))
      .toMatchObject({ containerStatuses: [{ ready: true, restartCount: 1 }] });
  });

  it("starts the process of all nodes again when it is killed", async () => {
    process.kill(pidOf(cluster.dir, "nodes"), "SIGKILL");
    await expect
      .poll(() => statusOf("stays"))
      .toMatchObject({ containerStatuses: [{ ready: true, restartCount: 2 }] });
  });

  it("goes on with its pods after a stop, keeps its runtime, and leaves nothing", async () => {
    await cluster.down();
    const { code, stderr } = await cluster.cli("up", "--runtime", "runc");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^kedge: --runtime \w+: the cluster has simulated pods, and keeps them\. Give another/u,
      ),
    ]);
    expect(await cluster.up()).toMatch(/^Pods are simulated/mu);
    await expect
      .poll(() => statusOf("stays"))
      .toMatchObject({ containerStatuses: [{ ready: true, restartCount: 3 }] });
  });
});

function pidOf(dir: string, role: string): number {
  const running = JSON.parse(readFileSync(join(dir, "running.json"), "utf8")) as readonly {
    readonly role: string;
    readonly pid: number;
  }[];
  return running.find((one) => one.role === role)?.pid ?? 0;
}
