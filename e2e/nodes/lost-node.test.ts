import { realClock } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { beforeAll, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { startLoad } from "./testing/http-load.ts";
import { createWeb, gone, readyPods, webPod, webService, whoAnswers, type WebPod } from "./testing/web.ts";

const patience = { interval: 200 };
const namespace = "default";

// The tests follow each other: each goes on with the cluster as the one before has left it.
describe("a node that is lost under load", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  let lost: WebPod;
  /** The pod of the StatefulSet that is on the lost node. */
  let kept: Pod;
  const podNamed = (name: string): Promise<Pod> => cluster.client.of(Pod).get({ namespace, name });

  beforeAll(async () => {
    const grace = ["--node-monitor-grace-period", "12s"];
    cluster = await upCluster({ flags: ["--nodes", "3", "--no-operators", ...grace] });
    return () => cluster[Symbol.asyncDispose]();
  });

  it("is not ready after a while, and its pods come up elsewhere, those of a StatefulSet not before it is safe", async () => {
    const { client } = cluster;
    await createWeb(client, 3);
    await client.of(StatefulSet).create({
      metadata: { namespace, name: "member" },
      spec: {
        replicas: 3,
        podManagementPolicy: "Parallel",
        serviceName: "member",
        selector: { matchLabels: { app: "member" } },
        template: { metadata: { labels: { app: "member" } }, spec: webPod },
      },
    });
    const members = async (): Promise<readonly Pod[]> =>
      (await client.of(Pod).list({ namespace, labelSelector: "app=member" }).all()).items;
    await expect
      .poll(async () => (await readyPods(client)).map(({ node }) => node), patience)
      .toEqual(["kedge", "kedge-2", "kedge-3"]);
    await expect.poll(async () => (await members()).filter(isReady).length, patience).toBe(3);
    const found = (await members()).find(({ spec }) => spec?.nodeName === "kedge-3");
    const web = (await readyPods(client)).find(({ node }) => node === "kedge-3");
    if (found === undefined || web === undefined) throw new Error("nothing is on kedge-3");
    [lost, kept] = [web, found];

    const load = startLoad([`http://${(await webService(client)).address}/`]);
    await expect.poll(() => load.answered(), patience).toBeGreaterThan(20);
    expect(await cluster.cli("node", "stop", "kedge-3", "--now")).toMatchObject({ code: 0 });
    await expect.poll(() => readyOf(cluster, "kedge-3"), patience).toBe("Unknown");
    await expect
      .poll(async () => (await readyPods(client)).map(({ node }) => node), patience)
      .toEqual(["kedge", expect.stringMatching(/^kedge(?:-2)?$/u), "kedge-2"]);
    await load.stop();
    // What was on its way to the node is lost, as a machine's power is; nothing else is.
    expect(load.answered()).toBeGreaterThan(load.failures.length);
    // It may still run, for all that anybody knows: a second one of its name could meet it.
    await expect
      .poll(async () => (await podNamed(kept.metadata.name)).metadata.deletionTimestamp, patience)
      .toBeDefined();
    expect((await podNamed(kept.metadata.name)).metadata.uid).toBe(kept.metadata.uid);
    const { stdout } = await cluster.cli("why", `pod/${kept.metadata.name}`);
    expect(stdout).toContain("Node kedge-3 is gone: it has not reported for");
    expect(stdout).toContain("kedge node start");
  });

  it("is not sent connections any more", async () => {
    const { address } = await webService(cluster.client);
    const ready = await readyPods(cluster.client);
    const [from] = ready;
    if (from === undefined) throw new Error("no pod is ready");
    const names = ready.map(({ name }) => name);
    for (let i = 0; i < 8; i++) {
      expect(names).toContain(await whoAnswers(cluster.client, from, address));
      using limit = realClock.deadline(3000);
      const body = await (await fetch(`http://${address}/`, { signal: limit.signal })).text();
      expect(names).toContain(body.split(" ")[0]);
    }
  });

  it("comes back clean, and takes pods again, and no request is lost by it", async () => {
    const load = startLoad([`http://${(await webService(cluster.client)).address}/`]);
    expect(await cluster.cli("node", "start", "kedge-3")).toMatchObject({ code: 0 });
    // The one of the Deployment was replaced meanwhile, the one of the StatefulSet can be now.
    await expect.poll(() => gone(cluster.client, lost.name), patience).toBe(true);
    const isAnother = async (): Promise<boolean> => {
      const pod = await podNamed(kept.metadata.name).catch(() => undefined);
      return pod !== undefined && pod.metadata.uid !== kept.metadata.uid && isReady(pod);
    };
    await expect.poll(isAnother, patience).toBe(true);
    await expect.poll(() => readyOf(cluster, "kedge-3"), patience).toBe("True");
    const { spec } = await cluster.client.of(Node).get({ name: "kedge-3" });
    expect(spec?.taints ?? []).toEqual([]);
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.answered()).toBeGreaterThan(0);
  });
});

async function readyOf({ client }: TestCluster, name: string): Promise<string | undefined> {
  const { status } = await client.of(Node).get({ name });
  return status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

function isReady({ status }: Pick<Pod, "status">): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}
