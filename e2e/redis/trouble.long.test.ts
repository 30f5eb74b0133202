import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { cutFromMachine } from "./faults/cut-from-machine.ts";
import { partProcess, signalServer, volumeFolder } from "./faults/server-process.ts";
import { startLedger } from "./ledger/ledger.ts";
import { lostNow } from "./measure-gap.ts";
import { makeInstance } from "./subjects/redis-instance.ts";
import type { Subject } from "./subjects/subject.ts";
import { lostBy } from "./testing/lost-by.ts";
import { askRole, waitInSync } from "./testing/roles.ts";
import { until } from "./testing/until.ts";

const clock = realClock;
const namespace = "default";

describe("a RedisInstance in trouble loses nothing while one copy exists", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  let instance: Subject;
  let number = 0;

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--nodes", "3", "--no-sample"] });
    return () => cluster[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    instance = await makeInstance(cluster, `t${++number}`);
    await waitInSync(() => instance.servers());
  });

  const epochOf = async (): Promise<number | undefined> =>
    (await cluster.client.of(RedisInstance).get({ namespace, name: `t${number}` })).status?.replication
      ?.epoch;

  it("all processes are killed at once", async () => {
    expect(
      await lostBy(instance, async () => {
        for (const { pod } of await instance.servers()) signalServer(cluster.dir, pod, "SIGKILL");
      }),
    ).toEqual([]);
  });

  it("all are restarted together, one of them with older data", async () => {
    const replica = (await instance.servers()).find(({ pod }) => pod.endsWith("-2"));
    if (replica === undefined) throw new Error("no third server");
    const pid = signalServer(cluster.dir, replica.pod, "SIGSTOP");
    const ledger = startLedger({
      clock,
      name: "newer",
      writesPerSecond: 1000,
      route: () => instance.route(),
    });
    await until("writes are acknowledged", () => ledger.book.acknowledged > 2000);
    await ledger.stop();
    for (const { pod } of await instance.servers())
      if (pod !== replica.pod) signalServer(cluster.dir, pod, "SIGKILL");
    process.kill(pid, "SIGKILL");
    await waitInSync(() => instance.servers());
    expect(await lostNow(instance, ledger.book)).toEqual([]);
  });

  it("the primary's claim and pod are deleted", async () => {
    expect(
      await lostBy(instance, async ({ pod }) => {
        await cluster.client.of(PersistentVolumeClaim).delete({ namespace, name: `redis-data-${pod}` });
        await cluster.client.of(Pod).delete({ namespace, name: pod });
        await until("the pod is another one", async () => {
          const { status } = await cluster.client.of(Pod).get({ namespace, name: pod });
          return status?.containerStatuses?.[0]?.state?.running !== undefined;
        });
      }),
    ).toEqual([]);
  });

  it("the StatefulSet is deleted", async () => {
    expect(
      await lostBy(instance, async () => {
        await cluster.client.of(StatefulSet).delete({ namespace, name: `t${number}` });
        await until("it is there again", () =>
          cluster.client
            .of(StatefulSet)
            .get({ namespace, name: `t${number}` })
            .then(({ status }) => (status?.readyReplicas ?? 0) >= 1),
        );
      }),
    ).toEqual([]);
  });

  it("the primary is killed while no operator runs, and comes back to work by itself", async () => {
    const operator = partProcess(cluster.dir, "operator");
    process.kill(operator, "SIGSTOP");
    try {
      expect(
        await lostBy(instance, async ({ pod }) => {
          signalServer(cluster.dir, pod, "SIGKILL");
          await using client = startLedger({
            clock,
            name: "alone",
            writesPerSecond: 200,
            route: () => instance.route(),
          });
          await until("it takes writes without an operator", () => client.book.acknowledged > 50);
        }),
      ).toEqual([]);
    } finally {
      process.kill(operator, "SIGCONT");
    }
  });

  it("the operator alone has lost the primary for ten minutes: nothing changes", async () => {
    const primary = await instance.primary();
    const epoch = await epochOf();
    {
      await using _cut = await cutFromMachine(cluster.dir, primary.address.host);
      for (let minute = 0; minute < 10; minute++) {
        await clock.sleep(60_000);
        expect([(await instance.primary()).pod, await epochOf()]).toEqual([primary.pod, epoch]);
      }
    }
    await waitInSync(() => instance.servers());
    expect(await epochOf()).toBe(epoch);
  });

  it("the primary's volume is emptied and its process killed", async () => {
    expect(
      await lostBy(instance, async ({ pod }) => {
        const folder = volumeFolder(cluster.dir, pod);
        for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
        signalServer(cluster.dir, pod, "SIGKILL");
        await clock.sleep(3000);
      }),
    ).toEqual([]);
  });

  it("two operators work at once, and one of them is paused again and again", async () => {
    const kubeconfig = join(cluster.dir, "certificates/operator.kubeconfig");
    const second = spawn("./kedge", ["operator", "--kubeconfig", kubeconfig, "--controllers", "redis"], {
      stdio: "ignore",
    });
    second.on("error", () => undefined);
    const ended = once(second, "exit");
    try {
      for (let round = 0; round < 2; round++) {
        const operator = partProcess(cluster.dir, "operator");
        process.kill(operator, "SIGSTOP");
        const { pod } = await instance.primary();
        signalServer(cluster.dir, pod, "SIGKILL");
        await clock.sleep(20_000);
        process.kill(operator, "SIGCONT");
        await waitInSync(() => instance.servers());
        const roles = await Promise.all((await instance.servers()).map(askRole));
        expect(roles.filter(({ role }) => role === "master")).toHaveLength(1);
      }
    } finally {
      second.kill("SIGTERM");
      await ended;
    }
  });
});
