import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { Node } from "@kedge/machinery/kinds/core/v1";
import { machine, machineNetworkId, nodeNamespacePath } from "@kedge/network";
import { beforeAll, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { faultsOf } from "../nodes/testing/faults.ts";
import { needs } from "../testing/needs.ts";
import { connectRedis } from "./ledger/connection.ts";
import { startLedgerIn, type LedgerResult } from "./ledger/ledger-program.ts";
import { isList, type Reply } from "./ledger/replies.ts";
import { makeInstance } from "./subjects/redis-instance.ts";
import type { Subject } from "./subjects/subject.ts";
import { waitInSync } from "./testing/roles.ts";
import { until } from "./testing/until.ts";

const clock = realClock;
const partitionMs = 20_000;
const nodes = ["kedge", "kedge-2", "kedge-3"];

describe("a primary that is cut off together with a client", needs(whyNoContainers()), () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--nodes", "3", "--no-sample"] });
    return () => cluster[Symbol.asyncDispose]();
  });

  // What docs/guide/redis-durability.md promises: seconds until the last acknowledgement, with a little for a busy machine.
  it.each([
    { name: "cache", durability: "cache", wait: undefined, window: Infinity },
    { name: "normal", durability: "normal", wait: undefined, window: 8 },
    { name: "strict", durability: "strict", wait: undefined, window: 5 },
    { name: "confirmed", durability: "strict", wait: { replicas: 1, timeoutMs: 200 }, window: 5 },
  ] as const)(
    "acknowledges for as long as its level says: $name",
    async ({ name, durability, wait, window }) => {
      // A node that was cut off gets no pods for a while: two servers on one machine would be cut off together.
      await until("all nodes take pods", async () => {
        const { items } = await cluster.client.of(Node).list().all();
        return items.length === nodes.length && items.every(({ spec }) => (spec?.taints ?? []).length === 0);
      });
      const instance = await makeInstance(cluster, name, { durability });
      await waitInSync(() => instance.servers());
      const places = (await instance.servers()).map(({ node }) => node);
      expect(places.toSorted()).toEqual(nodes);
      const primary = await instance.primary();
      await until("it knows how many replicas a write needs", async () => {
        using connection = await connectRedis(primary.address, { clock });
        const [, needed] = wordsOf(await connection.call(["CONFIG", "GET", "min-replicas-to-write"]));
        return needed === (durability === "cache" ? "0" : "1");
      });
      const { id } = JSON.parse(readFileSync(join(cluster.dir, "cluster.json"), "utf8")) as {
        readonly id: string;
      };
      await using client = startLedgerIn({
        namespacePath: nodeNamespacePath(machineNetworkId(id), primary.node),
        name,
        address: primary.address,
        writesPerSecond: 1000,
        ...(wait !== undefined && { wait }),
      });
      await clock.sleep(3000);
      const cutAt = clock.now();
      const faults = await faultsOf(cluster.dir);
      await faults.cut(primary.node, machine);
      for (const other of nodes) if (other !== primary.node) await faults.cut(primary.node, other);
      await clock.sleep(partitionMs);
      await faults.heal();
      await waitInSync(() => instance.servers());
      const { writes, refusals, lastAckAt } = await client.stop();
      const lastAck = (lastAckAt - cutAt) / 1000;
      const lost = await lostOf(instance, writes);
      const confirmed = lost.filter(({ isConfirmed }) => isConfirmed);
      const figures = `${writes.length} acknowledged, ${lost.length} lost, of which ${confirmed.length} confirmed by WAIT`;
      process.stdout.write(
        `${name}: ${figures}, the last ${lastAck.toFixed(1)} s after the cut, refused ${JSON.stringify(refusals)}, load ${loadavg()[0]?.toFixed(0)}\n`,
      );
      expect(confirmed).toEqual([]);
      expect(lastAck).toBeLessThan(window);
    },
  );
});

function wordsOf(reply: Reply): readonly string[] {
  return isList(reply) ? reply.map(String) : [];
}

async function lostOf(instance: Subject, writes: LedgerResult["writes"]): Promise<LedgerResult["writes"]> {
  const { address } = await instance.primary();
  using connection = await connectRedis(address, { clock });
  const lost: LedgerResult["writes"][number][] = [];
  for (let from = 0; from < writes.length; from += 2000) {
    const some = writes.slice(from, from + 2000);
    const reply = await connection.call(["MGET", ...some.map(({ key }) => key)], 60_000);
    const values = isList(reply) ? reply : [];
    lost.push(...some.filter(({ value }, index) => values[index] !== value));
  }
  return lost;
}
