import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { Event, Pod } from "@kedge/machinery/kinds/core/v1";
import { beforeAll, describe, expect, it } from "vitest";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { signalServer, volumeFolder } from "./faults/server-process.ts";
import { startLedger } from "./ledger/ledger.ts";
import { lostNow } from "./measure-gap.ts";
import { makeInstance } from "./subjects/redis-instance.ts";
import type { Subject } from "./subjects/subject.ts";
import { lostBy } from "./testing/lost-by.ts";
import { waitInSync } from "./testing/roles.ts";
import { until } from "./testing/until.ts";

const clock = realClock;
const namespace = "default";

describe("a RedisInstance whose disks or replicas fail goes on", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  let number = 0;

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--nodes", "3", "--no-sample"] });
    return () => cluster[Symbol.asyncDispose]();
  });

  async function made(spec: object = {}): Promise<{ readonly instance: Subject; readonly name: string }> {
    const name = `d${++number}`;
    const instance = await makeInstance(cluster, name, spec);
    await waitInSync(() => instance.servers());
    return { instance, name };
  }

  async function switchTo(name: string, pod: string): Promise<void> {
    const { code, stderr } = await cluster.cli("redis", "switchover", name, "--to", pod);
    if (code !== 0) throw new Error(stderr);
  }

  async function run(program: string, ...args: readonly string[]): Promise<void> {
    const child = spawn(program, args, { stdio: "inherit" });
    const [code] = (await once(child, "exit")) as [unknown];
    if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${String(code)}`);
  }

  const files = { pattern: /\.incr\.aof$|\.base\.rdb$/u, spec: {} };
  const snapshots = { pattern: /^dump\.rdb$/u, spec: { config: { appendonly: "no", save: "1 1" } } };
  it.each([
    { who: "replica", what: "append-only file", ...files },
    { who: "primary", what: "append-only file", ...files },
    { who: "replica", what: "snapshot", ...snapshots },
    { who: "primary", what: "snapshot", ...snapshots },
  ])("the $what of the $who is damaged", async ({ who, what, pattern, spec }) => {
    const { instance, name } = await made(spec);
    expect(
      await lostBy(instance, async (primary) => {
        const victim =
          who === "primary" ? primary : (await instance.servers()).find(({ pod }) => pod !== primary.pod);
        if (victim === undefined) throw new Error("no such server");
        const folder = volumeFolder(cluster.dir, victim.pod);
        const found = (): readonly string[] =>
          readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => pattern.test(file));
        await until("there is a file", () => found().length > 0);
        for (const file of found()) damage(join(folder, file));
        signalServer(cluster.dir, victim.pod, "SIGKILL");
        await until("it does not run any more as it was", async () => {
          const { status } = await cluster.client.of(Pod).get({ namespace, name: victim.pod });
          return (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0;
        });
      }),
    ).toEqual([]);
    process.stdout.write(`the ${what} of the ${who} is damaged:\n${await saidOf(name)}\n`);
  });

  it("persistence is off, and the primary is restarted faster than anybody notices", async () => {
    const { instance } = await made({ durability: "cache" });
    expect(
      await lostBy(instance, async ({ pod }) => {
        signalServer(cluster.dir, pod, "SIGKILL");
        await until("another one is the primary", async () => (await instance.primary()).pod !== pod);
      }),
    ).toEqual([]);
  });

  /** What was said of an instance, for people. */
  async function saidOf(name: string): Promise<string> {
    const { items } = await cluster.client.of(Event).list({ namespace }).all();
    const own = items.filter(({ involvedObject }) => involvedObject.name === name);
    return own.map(({ reason, message }) => `${reason}: ${message}`).join("\n");
  }

  it.each(["primary", "replica"])(
    "the disk of the %s is full: the others go on, it is said, and it comes back with room",
    async (who) => {
      const { instance, name } = await made();
      const head = await instance.primary();
      const victim =
        who === "primary" ? head : (await instance.servers()).find(({ pod }) => pod !== head.pod);
      if (victim === undefined) throw new Error("no such server");
      const folder = volumeFolder(cluster.dir, victim.pod);
      // A disk of its own, with room for what is there and little more.
      await run("mount", "-t", "tmpfs", "-o", "size=1m,mode=0770,uid=999,gid=999", "tmpfs", folder);
      try {
        signalServer(cluster.dir, victim.pod, "SIGKILL");
        await waitInSync(() => instance.servers());
        const isOther = (await instance.primary()).pod !== victim.pod;
        if (who === "primary" && isOther) await switchTo(name, victim.pod);
        await using ledger = startLedger({
          clock,
          name: "full",
          writesPerSecond: 2000,
          route: () => instance.route(),
        });
        await until("it is said", async () =>
          (await saidOf(name)).includes(`${victim.pod} cannot write to its volume`),
        );
        await until("a good one is the primary", async () => (await instance.primary()).pod !== victim.pod);
        const before = ledger.book.acknowledged;
        await until("it takes writes", () => ledger.book.acknowledged > before + 2000);
        await ledger.stop();
        expect(await lostNow(instance, ledger.book)).toEqual([]);
        await run("mount", "-o", "remount,size=200m", folder);
        await waitInSync(() => instance.servers());
        expect(await lostNow(instance, ledger.book)).toEqual([]);
      } finally {
        await run("umount", "-l", folder);
      }
    },
  );

  it("a replica is slower than what is written: writes go on, and it catches up", async () => {
    const { instance } = await made();
    const primary = await instance.primary();
    const replica = (await instance.servers()).find(({ pod }) => pod !== primary.pod);
    if (replica === undefined) throw new Error("no replica");
    const ledger = startLedger({ clock, name: "fast", writesPerSecond: 5000, route: () => instance.route() });
    await until("writes are acknowledged", () => ledger.book.acknowledged > 2000);
    const since = clock.monotonic();
    // It works for a tenth of the time.
    for (let round = 0; round < 15; round++) {
      const pid = signalServer(cluster.dir, replica.pod, "SIGSTOP");
      await clock.sleep(900);
      process.kill(pid, "SIGCONT");
      await clock.sleep(100);
    }
    await ledger.stop();
    expect(ledger.book.longestGap(since)).toBeLessThan(2000);
    expect((await instance.primary()).pod).toBe(primary.pod);
    await waitInSync(() => instance.servers());
    expect(await lostNow(instance, ledger.book)).toEqual([]);
  });

  it("both replicas hang: writes go on, because the operator knows that it is not the primary which is cut off", async () => {
    const { instance } = await made();
    const primary = await instance.primary();
    const ledger = startLedger({
      clock,
      name: "alone",
      writesPerSecond: 1000,
      route: () => instance.route(),
    });
    await until("writes are acknowledged", () => ledger.book.acknowledged > 1000);
    const since = clock.monotonic();
    const replicas = (await instance.servers()).filter(({ pod }) => pod !== primary.pod);
    const pids = replicas.map(({ pod }) => signalServer(cluster.dir, pod, "SIGSTOP"));
    await clock.sleep(12_000);
    for (const pid of pids) process.kill(pid, "SIGCONT");
    await ledger.stop();
    expect(ledger.book.longestGap(since)).toBeLessThan(2000);
    await waitInSync(() => instance.servers());
    expect(await lostNow(instance, ledger.book)).toEqual([]);
  });
});

/** Writes nonsense into the middle of a file. */
function damage(file: string): void {
  const { size } = statSync(file);
  const handle = openSync(file, "r+");
  try {
    writeSync(handle, Buffer.alloc(Math.min(64, size), 0xff), 0, undefined, Math.floor(size / 2));
  } finally {
    closeSync(handle);
  }
}
