import { ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";

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

async function podUids(env: TestEnv): Promise<readonly string[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: "default" }).all());
  return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
}

describe("a controller that makes many pods", () => {
  const latency = 10;
  const lag = 100;

  it.each(["statefulsets", "replicasets"])("stops in the middle when its object goes: %s", async (plural) => {
    await using env = await startTestEnv({ latency, lag, node: false });
    const { client, clock } = env;
    const made: number[] = [];
    let deletedAt = Infinity;
    env.process("controllers").onWrite = async (what) => {
      if (!what.startsWith("POST") || !what.includes("/pods")) return;
      made.push(clock.now());
      if (made.length !== 50) return;
      deletedAt = clock.now();
      await (plural === "replicasets"
        ? client.of(ReplicaSet).delete(at, { propagation: "Orphan" })
        : client.of(StatefulSet).delete(at, { propagation: "Orphan" }));
    };
    await env.run(
      plural === "replicasets"
        ? client.of(ReplicaSet).create({ metadata: at, spec: { ...spec, replicas: 300 } })
        : client.of(StatefulSet).create(set(300)),
    );
    await env.advance(60_000);
    expect(made.length).toBeGreaterThanOrEqual(50);
    expect(made.filter((time) => time > deletedAt + lag + latency)).toEqual([]);
  });

  it("goes on with another size when its object changes in the middle", async () => {
    await using env = await startTestEnv({ latency, lag, node: false });
    const { client, clock } = env;
    const made: number[] = [];
    let changedAt = Infinity;
    env.process("controllers").onWrite = async (what) => {
      if (!what.startsWith("POST") || !what.includes("/pods")) return;
      made.push(clock.now());
      if (made.length !== 10) return;
      changedAt = clock.now();
      await client.of(StatefulSet).patch(at, { merge: { spec: { replicas: 5 } } });
    };
    await env.run(client.of(StatefulSet).create(set(450)));
    await env.advance(60_000);
    expect(await podUids(env)).toHaveLength(5);
    expect(made.filter((time) => time > changedAt + lag + latency)).toEqual([]);
  });
});

describe("a stateful set that is made again over its orphans", () => {
  it.each([1, 3, 5, 6])("keeps its pods and its revision: seed %s", async (seed) => {
    await using env = await startTestEnv({ seed, lag: 2000, node: false });
    const { client, clock } = env;
    await env.run(client.of(StatefulSet).create(set(3)));
    await env.advance(60_000);
    const before = await podUids(env);
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
    await env.run(again());
    await env.advance(120_000);
    expect(await podUids(env)).toEqual(before);
    const { status } = await env.run(client.of(StatefulSet).get(at));
    expect(status).toMatchObject({ updatedReplicas: 3, collisionCount: 0 });
  });
});
