import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
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
import { cutProcess } from "./faults/cut-process.ts";
import { killed, pausedUntilReplaced } from "./faults/faults.ts";
import { partProcess, signalServer, volumeFolder } from "./faults/server-process.ts";
import { startLedger } from "./ledger/ledger.ts";
import { lostNow, measureGap } from "./measure-gap.ts";
import { makeInstance } from "./subjects/redis-instance.ts";
import type { Subject } from "./subjects/subject.ts";
import { admittedPrimaries } from "./testing/admitted-primaries.ts";
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

  /** Its primary is killed, and takes writes again although nobody sees to it. */
  const comesBackAlone = (): Promise<readonly unknown[]> =>
    lostBy(instance, async ({ pod }) => {
      const epoch = await epochOf();
      signalServer(cluster.dir, pod, "SIGKILL");
      await using client = startLedger({
        clock,
        name: "alone",
        writesPerSecond: 200,
        route: () => instance.route(),
      });
      await until("it takes writes without an operator", () => client.book.acknowledged > 50);
      expect([(await instance.primary()).pod, await epochOf()]).toEqual([pod, epoch]);
    });

  it("the primary is killed while no operator runs, and comes back to work by itself", async () => {
    const operator = partProcess(cluster.dir, "operator");
    process.kill(operator, "SIGSTOP");
    try {
      expect(await comesBackAlone()).toEqual([]);
    } finally {
      process.kill(operator, "SIGCONT");
    }
  });

  it("the operator is cut off from everything: nothing changes, and a killed primary comes back", async () => {
    const [primary, epoch] = [await instance.primary(), await epochOf()];
    {
      await using _cut = await cutProcess(partProcess(cluster.dir, "operator"));
      await clock.sleep(60_000);
      expect([(await instance.primary()).pod, await epochOf()]).toEqual([primary.pod, epoch]);
      expect(await comesBackAlone()).toEqual([]);
    }
    await waitInSync(() => instance.servers());
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
    // It has no right to the Lease, and needs none: it works beside the other one.
    const own = ["--health-address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0"];
    const flags = ["--kubeconfig", kubeconfig, "--controllers", "redis", "--no-leader-elect", ...own];
    const second = spawn("./kedge", ["operator", ...flags], { stdio: ["ignore", "ignore", "pipe"] });
    second.on("error", () => undefined);
    let logged = "";
    second.stderr.on("data", (chunk: Buffer) => void (logged += chunk.toString()));
    const ended = once(second, "exit");
    try {
      await until("the second operator works", () => logged.includes("The operators run"));
      for (const round of [0, 1, 2, 3]) {
        if (second.exitCode !== null)
          throw new Error(`the second operator has ended:\n${logged.slice(-2000)}`);
        const operator = round % 2 === 0 ? partProcess(cluster.dir, "operator") : (second.pid ?? 0);
        const hit = round < 2 ? killed(cluster) : pausedUntilReplaced(cluster, instance);
        process.kill(operator, "SIGSTOP");
        const resumed = clock.sleep(20_000).then(() => process.kill(operator, "SIGCONT"));
        const found = await measureGap(instance, hit, { writesPerSecond: 1000, aroundMs: 20_000 });
        await resumed;
        const { gapMs, late, lateToStubborn, servers, acknowledged } = found;
        process.stdout.write(
          `two operators, round ${round}: ${hit.name}, gap ${gapMs.toFixed(0)} ms, ${acknowledged} acknowledged, ${found.lost.length} lost\n`,
        );
        // `servers` says who acknowledged when.
        expect({ late, lateToStubborn, servers }).toEqual({ late: 0, lateToStubborn: 0, servers });
        const roles = await Promise.all((await instance.servers()).map(askRole));
        expect(roles.filter(({ role }) => role === "master")).toHaveLength(1);
      }
    } finally {
      second.kill("SIGTERM");
      await ended;
    }
    logged += readFileSync(join(cluster.dir, "logs/operator.log"), "utf8");
    const primaries = admittedPrimaries(logged, `default/t${number}`);
    process.stdout.write(
      `epochs: ${[...primaries].map(([epoch, pods]) => `${epoch} ${[...pods].join("+")}`).join(", ")}\n`,
    );
    expect(primaries.size).toBeGreaterThan(4);
    expect([...primaries].filter(([, pods]) => pods.size > 1)).toEqual([]);
  });
});
