import { ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { virtualCluster, type VirtualCluster } from "./testing/virtual-cluster.ts";

const at = { namespace: "default", name: "web" };
const labels = { app: "web" };
const spec = {
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } },
};
const set = (replicas: number) => ({
  metadata: at,
  spec: { ...spec, replicas, serviceName: "web", podManagementPolicy: "Parallel" },
});

async function podUids({ client, clock }: VirtualCluster): Promise<readonly string[]> {
  const { items } = await clock.runUntil(client.of(Pod).list({ namespace: "default" }).all());
  return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
}

describe("a controller that makes many pods", () => {
  const latency = 10;
  const lag = 100;

  it.each(["statefulsets", "replicasets"])("stops in the middle when its object goes: %s", async (plural) => {
    const cluster = await virtualCluster({ latency, lag });
    const { client, clock } = cluster;
    const made: number[] = [];
    let deletedAt = Infinity;
    cluster.onWrite = async (_writes, what) => {
      if (!what.startsWith("POST") || !what.includes("/pods")) return;
      made.push(clock.now());
      if (made.length !== 50) return;
      deletedAt = clock.now();
      await (plural === "replicasets"
        ? client.of(ReplicaSet).delete(at, { propagation: "Orphan" })
        : client.of(StatefulSet).delete(at, { propagation: "Orphan" }));
    };
    await clock.runUntil(
      plural === "replicasets"
        ? client.of(ReplicaSet).create({ metadata: at, spec: { ...spec, replicas: 300 } })
        : client.of(StatefulSet).create(set(300)),
    );
    await clock.advance(60_000);
    expect(made.length).toBeGreaterThanOrEqual(50);
    expect(made.filter((time) => time > deletedAt + lag + latency)).toEqual([]);
  });

  it("goes on with another size when its object changes in the middle", async () => {
    const cluster = await virtualCluster({ latency, lag });
    const { client, clock } = cluster;
    const made: number[] = [];
    let changedAt = Infinity;
    cluster.onWrite = async (_writes, what) => {
      if (!what.startsWith("POST") || !what.includes("/pods")) return;
      made.push(clock.now());
      if (made.length !== 10) return;
      changedAt = clock.now();
      await client.of(StatefulSet).patch(at, { merge: { spec: { replicas: 5 } } });
    };
    await clock.runUntil(client.of(StatefulSet).create(set(450)));
    await clock.advance(60_000);
    expect(await podUids(cluster)).toHaveLength(5);
    expect(made.filter((time) => time > changedAt + lag + latency)).toEqual([]);
  });
});

describe("a stateful set that is made again over its orphans", () => {
  it.each([1, 3, 5, 6])("keeps its pods and its revision: seed %s", async (seed) => {
    const cluster = await virtualCluster({ seed, lag: 2000 });
    const { client, clock } = cluster;
    await clock.runUntil(client.of(StatefulSet).create(set(3)));
    await clock.advance(60_000);
    const before = await podUids(cluster);
    expect(before).toHaveLength(3);
    const again = async (): Promise<void> => {
      await client.of(StatefulSet).delete(at, { propagation: "Orphan" });
      for (;;) {
        const created = await client
          .of(StatefulSet)
          .create(set(3))
          .catch(() => undefined);
        if (created !== undefined) return;
        await clock.sleep(1);
      }
    };
    await clock.runUntil(again());
    await clock.advance(120_000);
    expect(await podUids(cluster)).toEqual(before);
    const { status } = await clock.runUntil(client.of(StatefulSet).get(at));
    expect(status).toMatchObject({ updatedReplicas: 3, collisionCount: 0 });
  });
});
