import { ClientError } from "@kedge/client";
import { conflict } from "@kedge/machinery";
import { Event, Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { defaultProfile } from "@kedge/scheduler";
import { describe, expect, it } from "vitest";
import { schedulingCluster, type SchedulingCluster } from "./testing/scheduling.ts";

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `p${index}`);
const keyOf = (name: string) => ({ namespace: "default", name });

async function addPods({ addPod }: SchedulingCluster, count: number): Promise<void> {
  for (const name of names(count)) await addPod(name);
}

describe("bindings", () => {
  it("are under way side by side, and so many at most", async () => {
    const cluster = await schedulingCluster();
    const { clock, startScheduler, addNode, placed } = cluster;
    await addNode("a", 100);
    let [now, most] = [0, 0];
    await startScheduler({
      async onBind() {
        most = Math.max(most, ++now);
        await clock.sleep(1000);
        now--;
      },
    });
    await addPods(cluster, 40);
    await clock.advance(10_000);
    expect(Object.keys(await placed())).toHaveLength(40);
    expect(most).toBe(32);
  });

  it("never give away more room than there is", async () => {
    const cluster = await schedulingCluster();
    const { clock, startScheduler, addNode, placed } = cluster;
    await addNode("a", 4);
    await addNode("b", 3);
    await startScheduler({ onBind: () => clock.sleep(500) });
    await addPods(cluster, 20);
    await clock.advance(60_000);
    const nodes = Map.groupBy(Object.values(await placed()), (node) => node);
    expect([nodes.get("a")?.length, nodes.get("b")?.length]).toEqual([4, 3]);
  });

  it("count before the watch shows them", async () => {
    const cluster = await schedulingCluster();
    const { clock, startScheduler, addNode, placed } = cluster;
    await addNode("a", 4);
    await startScheduler({ lag: 5000 });
    await addPods(cluster, 10);
    await clock.advance(120_000);
    expect(Object.keys(await placed())).toHaveLength(4);
  });

  it("are tried again after a failure, and the pod gets its event once", async () => {
    const cluster = await schedulingCluster();
    const { clock, client, startScheduler, addNode, addPod, placed } = cluster;
    await addNode("a", 1);
    let failures = 3;
    await startScheduler({
      onBind: () => (failures-- > 0 ? Promise.reject(conflict(Pod, "p")) : Promise.resolve()),
    });
    await addPod("p");
    await clock.advance(30_000);
    expect(await placed()).toEqual({ p: "a" });
    const { items } = await clock.runUntil(client.of(Event).list(keyOf("")).all());
    expect(items.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      "Scheduled: Successfully assigned default/p to a",
    ]);
  });

  it("whose answer is lost count as done until the server says that they are not", async () => {
    const cluster = await schedulingCluster();
    const { clock, startScheduler, addNode, addPod, placed } = cluster;
    await addNode("a", 1);
    const lost = new ClientError("UNREACHABLE", "simulated: the connection broke");
    let isDone = true;
    await startScheduler({
      lag: 5000,
      onBind: async () => {
        if (!isDone) throw lost;
      },
      onBound: async () => {
        throw lost;
      },
    });
    await addPod("first");
    await addPod("second");
    await clock.advance(60_000);
    expect(await placed()).toEqual({ first: "a" });
    isDone = false;
    await addNode("b", 1);
    await clock.advance(60_000);
    expect(await placed()).toEqual({ first: "a" });
    isDone = true;
    await clock.advance(600_000);
    expect(await placed()).toEqual({ first: "a", second: "b" });
  });

  it("that fail leave the room to those who were refused for it", async () => {
    const cluster = await schedulingCluster();
    const { clock, client, startScheduler, addNode, addPod, placed } = cluster;
    await addNode("a", 1);
    await startScheduler({
      async onBind(pod) {
        await clock.sleep(200);
        if (pod === "first") throw conflict(Pod, pod);
      },
    });
    await addPod("first");
    await addPod("second");
    await clock.advance(60_000);
    expect(await placed()).toEqual({ second: "a" });
    const { status } = await clock.runUntil(client.of(Pod).get(keyOf("first")));
    expect(status?.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      "PodScheduled Unschedulable",
    ]);
  });
});

it("a pod that is deleted while it is bound leaves its room to another", async () => {
  const cluster = await schedulingCluster();
  const { clock, client, startScheduler, addNode, addPod, placed } = cluster;
  await addNode("a", 1);
  await startScheduler({
    async onBind(pod) {
      if (pod !== "first") return;
      await client.of(Pod).delete(keyOf(pod), { gracePeriodSeconds: 0 });
      await clock.sleep(3000);
    },
  });
  await addPod("first");
  await addPod("second");
  await clock.advance(30_000);
  expect(await placed()).toEqual({ second: "a" });
});

it("a pod that another of its name has replaced is placed as the other", async () => {
  const cluster = await schedulingCluster();
  const { clock, client, startScheduler, addNode, addPod, placed } = cluster;
  await addNode("a", 1);
  let isFirst = true;
  await startScheduler({
    async onBind() {
      if (!isFirst) return;
      isFirst = false;
      await client.of(Pod).delete(keyOf("p"), { gracePeriodSeconds: 0 });
      await clock.sleep(3000);
    },
  });
  await addPod("p");
  await clock.advance(1000);
  await addPod("p");
  await clock.advance(30_000);
  expect(await placed()).toEqual({ p: "a" });
});

it("without their node, pods go to another, or wait until there is one", async () => {
  const cluster = await schedulingCluster();
  const { clock, client, startScheduler, addNode, addPod, placed } = cluster;
  await addNode("a", 4);
  await startScheduler();
  await addPod("one");
  await clock.advance(1000);
  await clock.runUntil(client.of(Node).delete({ name: "a" }));
  await addPod("two");
  await clock.advance(5000);
  expect(await placed()).toEqual({ one: "a" });
  await addNode("b", 4);
  await clock.advance(5000);
  expect(await placed()).toEqual({ one: "a", two: "b" });
});

it("a scheduler that is killed while it binds is followed by one that gives nothing away twice", async () => {
  const cluster = await schedulingCluster();
  const { clock, startScheduler, addNode, placed } = cluster;
  await addNode("a", 10);
  let sent = 0;
  const first = await startScheduler({
    // Some arrive, some are under way when the end comes.
    onBind: () => (sent++ < 5 ? Promise.resolve() : clock.sleep(600_000)),
  });
  await addPods(cluster, 20);
  await clock.advance(1000);
  await first.kill();
  expect(Object.keys(await placed())).toHaveLength(5);
  await startScheduler();
  await clock.advance(30_000);
  expect(Object.keys(await placed())).toHaveLength(10);
});

describe("what is said of a pod", () => {
  const conditionsOf = async ({ clock, client }: SchedulingCluster, name: string) => {
    const { status } = await clock.runUntil(client.of(Pod).get(keyOf(name)));
    return status?.conditions?.map(({ type, status: value, reason }) => `${type} ${value} ${reason}`);
  };

  it("does not reach it any more when it has been bound meanwhile", async () => {
    const cluster = await schedulingCluster();
    const { clock, startScheduler, addNode, addPod, placed } = cluster;
    await startScheduler({ onStatus: () => clock.sleep(10_000) });
    await addPod("p");
    await clock.advance(1000);
    await addNode("a", 1);
    await clock.advance(5000);
    expect(await placed()).toEqual({ p: "a" });
    await clock.advance(10_000);
    expect(await conditionsOf(cluster, "p")).toEqual(["PodScheduled True undefined"]);
  });

  it("reaches one that changed before the scheduler saw it", async () => {
    const cluster = await schedulingCluster();
    const { clock, client, startScheduler, addPod } = cluster;
    let sent = 0;
    const label = { metadata: { labels: { changed: "yes" } } };
    await startScheduler({
      async onStatus(pod) {
        if (sent++ === 0) await client.of(Pod).patch(keyOf(pod), { merge: label });
      },
    });
    await addPod("p");
    await clock.advance(1000);
    expect(await conditionsOf(cluster, "p")).toEqual(["PodScheduled False Unschedulable"]);
    expect(sent).toBe(2);
  });
});

it("two schedulers place each pod once, and both come to rest", async () => {
  const cluster = await schedulingCluster();
  const { clock, startScheduler, addNode, placed } = cluster;
  await addNode("a", 100);
  let bindings = 0;
  const onBind = async (): Promise<void> => {
    bindings++;
    await clock.sleep(20);
  };
  await startScheduler({ onBind, lag: 300 });
  await startScheduler({ onBind, lag: 300 });
  await addPods(cluster, 20);
  await clock.advance(60_000);
  expect(Object.keys(await placed())).toHaveLength(20);
  const until = bindings;
  await clock.advance(600_000);
  expect(bindings).toBe(until);
});

it("a pod that ends makes room for one that was refused", async () => {
  const cluster = await schedulingCluster();
  const { clock, client, startScheduler, addNode, addPod, placed } = cluster;
  await addNode("a", 1);
  await startScheduler();
  await addPod("one");
  await clock.advance(5000);
  await addPod("two");
  await clock.advance(5000);
  expect(await placed()).toEqual({ one: "a" });
  const status = { phase: "Succeeded" };
  await clock.runUntil(client.of(Pod).status.patch(keyOf("one"), { merge: { status } }));
  await clock.advance(5000);
  expect(await placed()).toEqual({ one: "a", two: "a" });
});

it("each pod is placed by the profile whose name it gives, and by none when nobody has it", async () => {
  const { clock, startScheduler, addNode, addPod, placed } = await schedulingCluster();
  const packed = {
    schedulerName: "packed",
    resources: { type: "MostAllocated" },
    weights: { PodTopologySpread: 0, NodeResourcesBalancedAllocation: 0 },
  } as const;
  await startScheduler({ profiles: [defaultProfile, packed] });
  await addNode("a", 10);
  await addPod("first", 4);
  await clock.advance(1000);
  await addNode("b", 10);
  await clock.advance(1000);
  for (const name of ["beside-1", "beside-2"]) await addPod(name, 1, packed.schedulerName);
  await clock.advance(1000);
  await addPod("apart");
  await addPod("nobodys", 1, "nobody");
  await clock.advance(10_000);
  expect(await placed()).toEqual({ first: "a", "beside-1": "a", "beside-2": "a", apart: "b" });
});
