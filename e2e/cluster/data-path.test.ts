import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findCondition, ifFound } from "@kedge/machinery";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { redis, replication } from "./testing/redis.ts";
import { whileStopped } from "./testing/while-stopped.ts";
import { upCluster, type TestCluster } from "./testing/up-cluster.ts";
import { needs } from "../testing/needs.ts";

const namespace = "default";
const key = { namespace, name: "safe" };
const primary = { namespace, name: "safe-0" };
const replicas = ["safe-1", "safe-2"];
const pods = ["safe-0", ...replicas];
const authKey = { namespace, name: "safe-auth" };
const patience = { interval: 200 };

// The tests follow each other: each goes on with the instance as the one before has left it.
describe("the data of a RedisInstance with three replicas", needs(whyNoContainers()), () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample"] });
    return () => cluster[Symbol.asyncDispose]();
  });

  const status = async (name = "safe") =>
    (await cluster.client.of(RedisInstance).get({ namespace, name })).status;
  const isRunning = async (): Promise<boolean> =>
    (await status())?.status === "Running" && (await readyPods()).length === 3;
  const readyPods = async (): Promise<readonly string[]> => {
    const { items } = await cluster.client.of(Pod).list({ namespace }).all();
    const ready = items.filter((pod) => findCondition(pod.status?.conditions, "Ready")?.status === "True");
    return ready.map(({ metadata }) => metadata.name);
  };
  const keysOf = (pod: string): Promise<string> => redis(cluster, pod, "dbsize");
  const run = async (pod: string, command: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await cluster.client
      .of(Pod)
      .exec.run({ namespace, name: pod }, { command, container: "redis", timeout: 60_000 });
    return stdout + stderr;
  };
  /** Deletes a pod, and waits for the one that follows: the old one works on until it has handed over. */
  const replaced = async (name: string): Promise<void> => {
    const client = cluster.client.of(Pod);
    const uidOf = async (): Promise<string | undefined> =>
      (await ifFound(client.get({ namespace, name })))?.metadata.uid;
    const old = await uidOf();
    await client.delete({ namespace, name });
    await expect.poll(uidOf, patience).not.toBeOneOf([old, undefined]);
  };
  const passwordOf = async (secret = authKey): Promise<string> => {
    const { data } = await cluster.client.of(Secret).get(secret);
    return Buffer.from(data?.["password"] ?? "", "base64").toString();
  };

  it("is on all replicas when it says Running, which takes no 5 s for each", async () => {
    const spec = { image: "redis:7.0", replicas: 3, storage: { size: "100Mi" } };
    await cluster.client.of(RedisInstance).apply({ metadata: key, spec }, { fieldManager: "e2e" });
    await expect.poll(isRunning, patience).toBe(true);
    for (const pod of replicas) {
      expect(await replication(cluster, pod)).toMatchObject({ role: "slave", master_link_status: "up" });
    }
    expect(await redis(cluster, "safe-0", "mset", "a", "1", "b", "2")).toBe("OK");
    expect(await redis(cluster, "safe-0", "wait", "2", "10000")).toBe("2");
  });

  it("can be read by nobody else, and the password not from the server's environment", async () => {
    const password = await passwordOf();
    expect(await run("safe-0", ["env"])).not.toContain(password);
    const files = await run("safe-0", ["ls", "-lR", "/data", "/usr/local/etc/redis-runtime"]);
    const modes = files.split("\n").filter((line) => line.startsWith("-"));
    expect(modes.length).toBeGreaterThan(3);
    expect(modes.filter((line) => !line.startsWith("-rw-------"))).toEqual([]);
  });

  const primaryOf = async (): Promise<string> => (await status())?.replication?.primary ?? "";
  const isWhole = async (serving: string): Promise<boolean> => {
    const roles = await Promise.all(pods.map((pod) => replication(cluster, pod)));
    return (
      (await isRunning()) &&
      roles.every((role, i) =>
        pods[i] === serving ? role["role"] === "master" : role["master_link_status"] === "up",
      )
    );
  };

  it("survives kill -9 of the primary: another one takes writes, and it comes back as a replica", async () => {
    const { status: before } = await cluster.client.of(Pod).get(primary);
    const id = before?.containerStatuses?.[0]?.containerID?.replace(/^.*\/\//u, "") ?? "";
    const pid = await readFile(
      join(cluster.dir, "nodes/kedge/node/containers/containers", id, "pid"),
      "utf8",
    );
    // Its node could be faster than the operator: a server that is back at once, with its data, stays the primary.
    await whileStopped(cluster, "node/kedge", async () => {
      process.kill(Number(pid), "SIGKILL");
      await expect.poll(primaryOf, patience).not.toBe("safe-0");
    });
    const next = await primaryOf();
    await expect.poll(() => isWhole(next), patience).toBe(true);
    const { spec } = await cluster.client.of(Service).get(key);
    expect(spec?.selector).toMatchObject({ "statefulset.kubernetes.io/pod-name": next });
    for (const pod of pods) expect(await keysOf(pod)).toBe("2");
    const { metadata } = await cluster.client.of(Pod).get({ namespace, name: next });
    expect(metadata.labels).toMatchObject({ "redis.github.com/role": "primary" });
    expect(await status()).toMatchObject({ replication: { epoch: 2, served: 2 } });
  });

  it("survives the loss of the primary and of its volume: what replicas have is what counts", async () => {
    const lost = await primaryOf();
    const claim = { namespace, name: `redis-data-${lost}` };
    const { metadata } = await cluster.client.of(PersistentVolumeClaim).get(claim);
    await cluster.client.of(PersistentVolumeClaim).delete(claim);
    await replaced(lost);
    await expect.poll(primaryOf, patience).not.toBe(lost);
    const next = await primaryOf();
    await expect.poll(() => isWhole(next), patience).toBe(true);
    const { metadata: newer } = await cluster.client.of(PersistentVolumeClaim).get(claim);
    expect(newer.uid).not.toBe(metadata.uid);
    for (const pod of pods) expect(await keysOf(pod)).toBe("2");
  });

  it("goes on when the operator is stopped while the primary is restarted, and when it goes on", async () => {
    const before = await primaryOf();
    await whileStopped(cluster, "operator", async () => {
      const { metadata } = await cluster.client.of(Pod).get({ namespace, name: before });
      await cluster.client.of(Pod).delete({ namespace, name: before });
      await expect
        .poll(async () => {
          const pod = await ifFound(cluster.client.of(Pod).get({ namespace, name: before }));
          return pod !== undefined && pod.metadata.uid !== metadata.uid;
        }, patience)
        .toBe(true);
      // By itself, or, when the operator was found hanging and was started again, by that.
      await expect
        .poll(async () => redis(cluster, await primaryOf(), "set", "c", "3").catch(String), patience)
        .toBe("OK");
    });
    await expect.poll(async () => isWhole(await primaryOf()), patience).toBe(true);
    for (const pod of pods) expect(await keysOf(pod)).toBe("3");
  });

  it("keeps its password when the Secret is deleted", async () => {
    const password = await passwordOf();
    await cluster.client.of(Secret).delete(authKey);
    await expect.poll(() => passwordOf().catch(() => ""), patience).toBe(password);
  });

  it("takes the password of a Secret that is changed, also in pods that are restarted", async () => {
    const change = { data: { password: Buffer.from("another").toString("base64") } };
    await cluster.client.of(Secret).patch(authKey, { merge: change });
    // What applications bind to says which one is in use.
    const bound = { namespace, name: "safe-binding" };
    await expect.poll(() => passwordOf(bound), patience).toBe("another");
    await replaced("safe-1");
    await expect.poll(isRunning, patience).toBe(true);
    expect(await run("safe-1", ["redis-cli", "--no-auth-warning", "-a", "another", "ping"])).toBe("PONG\n");
  });

  it("is kept by Valkey too, with a password that comes late in a Secret without labels", async () => {
    const valkey = { namespace, name: "other" };
    await cluster.client.of(Secret).create({ metadata: { namespace, name: "other-auth" } });
    const spec = { image: "valkey/valkey:8.1", replicas: 2, storage: { size: "100Mi" } };
    await cluster.client.of(RedisInstance).apply({ metadata: valkey, spec }, { fieldManager: "e2e" });
    await expect.poll(async () => (await status("other"))?.status, patience).toBe("Failed");
    const added = { data: { password: Buffer.from("late").toString("base64") } };
    await cluster.client.of(Secret).patch({ namespace, name: "other-auth" }, { merge: added });
    await expect
      .poll(() => status("other"), patience)
      .toMatchObject({ status: "Running", readyReplicas: "2/2" });
    expect(await redis(cluster, "other-0", "set", "a", "1")).toBe("OK");
    await expect.poll(() => redis(cluster, "other-1", "get", "a"), patience).toBe("1");
    const { stdout } = await cluster.cli("redis", "cli", "other", "ping");
    expect(stdout).toBe("PONG\n");
  });

  it("goes on while the password is turned off: replicas of one kind follow a primary of the other", async () => {
    const change = { spec: { auth: { enabled: false } } };
    const { metadata } = await cluster.client
      .of(RedisInstance)
      .patch({ namespace, name: "other" }, { merge: change });
    await expect
      .poll(() => status("other"), patience)
      .toMatchObject({ status: "Running", observedGeneration: metadata.generation });
    const serving = (await status("other"))?.replication?.primary ?? "";
    const other = serving === "other-0" ? "other-1" : "other-0";
    await expect
      .poll(() => replication(cluster, other), patience)
      .toMatchObject({ role: "slave", master_link_status: "up" });
    for (const pod of [serving, other]) expect(await run(pod, ["valkey-cli", "get", "a"])).toBe("1\n");
  });
});
