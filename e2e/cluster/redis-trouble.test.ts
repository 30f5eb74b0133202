import { findCondition } from "@kedge/machinery";
import { Event } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { redis } from "./testing/redis.ts";
import { upCluster, type TestCluster } from "./testing/up-cluster.ts";
import { needs } from "../testing/needs.ts";

const namespace = "default";
const patience = { interval: 200 };
const images = ["redis:7.0", "redis:8.0", "valkey/valkey:8.1", "valkey/valkey:9.1"];

describe("a RedisInstance in trouble", needs(whyNoContainers()), () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample"] });
    return () => cluster[Symbol.asyncDispose]();
  });

  async function make(name: string, spec: { readonly image: string; readonly [field: string]: unknown }) {
    const storage = { size: "100Mi" };
    return await cluster.client
      .of(RedisInstance)
      .apply({ metadata: { namespace, name }, spec: { storage, ...spec } }, { fieldManager: "e2e" });
  }

  const readyOf = async (name: string) => {
    const { status } = await cluster.client.of(RedisInstance).get({ namespace, name });
    return findCondition(status?.conditions, "Ready");
  };

  const acceptedOf = async (name: string) => {
    const { status } = await cluster.client.of(RedisInstance).get({ namespace, name });
    return findCondition(status?.conditions, "SpecAccepted");
  };

  async function warningsOf(name: string): Promise<string> {
    const { items } = await cluster.client.of(Event).list({ namespace }).all();
    return items
      .filter(({ involvedObject, type }) => involvedObject.name === name && type === "Warning")
      .filter(({ involvedObject }) => involvedObject.kind === "RedisInstance")
      .map(({ reason, message }) => `${reason}: ${message}`)
      .join("\n");
  }

  it("has a name for what servers of all versions know, and refuses none of it as unknown", async () => {
    for (const [index, image] of images.entries()) await make(`v${index}`, { image });
    for (const [index, image] of images.entries()) {
      await expect.poll(async () => (await readyOf(`v${index}`))?.status, patience).toBe("True");
      const lines = (await redis(cluster, `v${index}-0`, "config", "get", "*")).split("\n");
      const names = lines.filter((_line, at) => at % 2 === 0).map((line) => line.trim());
      expect(names.length).toBeGreaterThan(150);
      // `bind` is among them, so nothing is made of it, and what is refused is told one by one.
      await make(`all${index}`, { image, config: Object.fromEntries(names.map((name) => [name, "1"])) });
      await expect.poll(async () => (await readyOf(`all${index}`))?.reason, patience).toBe("SpecRefused");
      const { message = "" } = (await readyOf(`all${index}`)) ?? {};
      expect(message).toContain('spec.config["bind"] is set by the operator');
      expect(message).not.toMatch(/is no directive|is a directive of|came after/u);
    }
  });

  it.each([
    ["v1", "redis:7.0", "Redis 7.0 cannot read what Redis 8.0 writes"],
    ["v1", "valkey/valkey:9.1", "Valkey 9.1 cannot read what Redis 8.0 writes"],
    ["v3", "valkey/valkey:8.1", "Valkey 8.1 cannot read what Valkey 9.1 writes"],
  ])("is not touched for an image that cannot read its data: %s, %s", async (name, image, why) => {
    const runId = async () => /run_id:\w+/u.exec(await redis(cluster, `${name}-0`, "info", "server"))?.[0];
    const before = await runId();
    const wanted = await make(name, { image });
    await expect
      .poll(() => acceptedOf(name), patience)
      .toMatchObject({
        status: "False",
        observedGeneration: wanted.metadata.generation,
      });
    expect((await acceptedOf(name))?.message).toContain(why);
    expect(await runId()).toBe(before);
    await make(name, { image: images[Number(name.slice(1))] ?? "" });
    await expect.poll(async () => (await acceptedOf(name))?.status, patience).toBe("True");
    expect(await runId()).toBe(before);
  });

  it("says what the server said, when it cannot read data of a newer one and no name has told", async () => {
    await make("open", { image: "redis:8" });
    await expect.poll(async () => (await readyOf("open"))?.status, patience).toBe("True");
    expect(await redis(cluster, "open-0", "set", "a", "1")).toBe("OK");
    await make("open", { image: "redis:7" });
    await expect
      .poll(async () => (await readyOf("open"))?.message, patience)
      .toContain("Can't handle RDB format version 12");
    await expect.poll(() => warningsOf("open"), patience).toContain("Can't handle RDB format version 12");
    await make("open", { image: "redis:8" });
    await expect.poll(async () => (await readyOf("open"))?.status, patience).toBe("True");
    expect(await redis(cluster, "open-0", "get", "a")).toBe("1");
  });

  it("warns when a server needs more memory than it may have", async () => {
    await make("small", { image: "redis:7.0", resources: { limits: { memory: "64Mi" } } });
    await expect.poll(async () => (await readyOf("small"))?.status, patience).toBe("True");
    await redis(cluster, "small-0", "setrange", "big", "200000000", "x");
    await expect.poll(() => warningsOf("small"), patience).toContain("OOMKilled: pod small-0");
  });

  it("warns of an image that cannot be had", async () => {
    await make("nowhere", { image: "redis:99.1" });
    await expect.poll(() => warningsOf("nowhere"), patience).toContain("ErrImagePull: pod nowhere-0");
    expect(await readyOf("nowhere")).toMatchObject({ status: "False", reason: "ErrImagePull" });
  });
});
