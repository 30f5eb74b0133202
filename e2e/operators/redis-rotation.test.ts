import { findCondition, ifFound, inBackground } from "@kedge/machinery";
import { Event, Pod, Secret } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { crashEverywhere, startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { seededRedisOperator } from "./testing/operators.ts";
import { modelOf, primaryOf } from "./testing/failover-scenarios.ts";
import {
  accepted,
  ask,
  at,
  create,
  lookAlways,
  options,
  passwordIn,
  rotate,
  rotationScenario,
} from "./testing/rotation-scenario.ts";

async function secretOf(env: TestEnv) {
  const { data } = await env.run(env.client.of(Secret).get({ ...at, name: "cache.system" }));
  return data;
}

async function podsOf(env: TestEnv): Promise<readonly string[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all());
  return items.map(
    ({ metadata, status }) => `${metadata.uid} ${status?.containerStatuses?.[0]?.restartCount}`,
  );
}

describe("a password that is to be changed", () => {
  it("is another one when that is asked for; both are accepted for a while, and no pod is replaced", async () => {
    await using env = await startTestEnv(options);
    await create(env);
    const [before, old] = [await podsOf(env), await passwordIn(env, "cache-auth")];
    const refused: string[] = [];
    using _clients = lookAlways(env, refused);
    await ask(env, "client");
    await env.advance("20s");
    const now = await passwordIn(env, "cache-auth");
    expect(now).not.toBe(old);
    expect(await passwordIn(env, "cache-binding")).toBe(now);
    expect(accepted(env, "default", old, now)).toEqual([
      [true, true],
      [true, true],
    ]);
    await env.advance("70s");
    expect(accepted(env, "default", old, now)).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(refused).toEqual([]);
    expect(await podsOf(env)).toEqual(before);
    const { metadata } = await env.run(env.client.of(RedisInstance).get(at));
    expect(metadata.annotations?.[rotate]).toBeUndefined();
  });

  it("is what the user's Secret says, and the binding follows when all servers accept it", async () => {
    await using env = await startTestEnv(options);
    const metadata = { ...at, name: "cache-auth" };
    const encoded = (text: string): string => Buffer.from(text).toString("base64");
    await env.create(Secret, { metadata, data: { password: encoded("first") } });
    await create(env);
    await env.run(
      env.client.of(Secret).patch(metadata, { merge: { data: { password: encoded("second") } } }),
    );
    await env.advance("10s");
    expect(await passwordIn(env, "cache-binding")).toBe("second");
    expect(accepted(env, "default", "first", "second")).toEqual([
      [true, true],
      [true, true],
    ]);
    await ask(env, "client");
    await env.advance("10s");
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(findCondition(status?.conditions, "SpecAccepted")).toMatchObject({
      status: "False",
      message: expect.stringContaining("the Secret cache-auth is yours") as string,
    });
  });

  it("is in a Secret of the user's choice: told while that is missing, taken at once, followed, and left alone", async () => {
    await using env = await startTestEnv(options);
    const encoded = (text: string) => ({ data: { pass: Buffer.from(text).toString("base64") } });
    const metadata = { ...at, name: "shop-redis" };
    const auth = { oldPasswordSeconds: 60, secretRef: { name: "shop-redis", key: "pass" } };
    const spec = { image: "redis:7.0", replicas: 2, auth };
    await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: at, spec }));
    const { status: waiting } = await env.eventually(
      RedisInstance,
      at,
      ({ status }) => status?.status === "Failed",
    );
    expect(findCondition(waiting?.conditions, "AuthReady")).toMatchObject({ status: "False" });
    expect(findCondition(waiting?.conditions, "SpecAccepted")?.message).toContain(
      "spec.auth.secretRef asks for the password in the key pass of the Secret shop-redis, which is not there",
    );
    // By now nobody would try again soon by himself.
    await env.advance("20m");
    const { items: events } = await env.run(env.client.of(Event).list({ namespace: at.namespace }).all());
    const told = events.filter(({ reason }) => reason === "SpecRefused").map(({ message }) => message);
    expect(told).toEqual([expect.stringContaining("shop-redis")]);
    await env.create(Secret, { metadata, ...encoded("first") });
    await env.eventually(RedisInstance, at, ({ status }) => status?.readyReplicas === "2/2");
    await env.advance("10s");
    expect(accepted(env, "default", "first")).toEqual([[true], [true]]);
    expect(await passwordIn(env, "cache-binding")).toBe("first");
    const before = await podsOf(env);
    await env.run(env.client.of(Secret).patch(metadata, { merge: encoded("second") }));
    await env.advance("10s");
    expect(accepted(env, "default", "first", "second")).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(await passwordIn(env, "cache-binding")).toBe("second");
    await env.advance("70s");
    expect(accepted(env, "default", "first", "second")).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(await podsOf(env)).toEqual(before);
    // Nobody has made one of our own, nor does a wish for another one reach the user's.
    await ask(env, "client");
    await env.advance("10s");
    const { status: asked } = await env.run(env.client.of(RedisInstance).get(at));
    expect(findCondition(asked?.conditions, "SpecAccepted")?.message).toContain(
      "the Secret shop-redis is yours",
    );
    expect(await ifFound(env.run(env.client.of(Secret).get({ ...at, name: "cache-auth" })))).toBeUndefined();
    // Without its Secret the servers keep the password.
    await env.run(env.client.of(Secret).delete(metadata));
    await env.advance("10s");
    const { status: spoilt } = await env.run(env.client.of(RedisInstance).get(at));
    expect(findCondition(spoilt?.conditions, "AuthReady")).toMatchObject({
      status: "False",
      reason: "PasswordUnusable",
    });
    expect(accepted(env, "default", "second")).toEqual([[true], [true]]);
    await env.create(Secret, { metadata, ...encoded("third") });
    await env.advance("10s");
    expect(accepted(env, "default", "third")).toEqual([[true], [true]]);
    await env.run(env.client.of(RedisInstance).delete(at));
    await env.eventuallyGone(RedisInstance, at);
    await env.advance("1m");
    const { data } = await env.run(env.client.of(Secret).get(metadata));
    expect({ data }).toEqual(encoded("third"));
  });

  it("moves to a Secret of the user's choice and back: what we made follows it, theirs is never written", async () => {
    await using env = await startTestEnv(options);
    await create(env);
    const first = await passwordIn(env, "cache-auth");
    const refused: string[] = [];
    using _clients = lookAlways(env, refused);
    const metadata = { ...at, name: "shop-redis" };
    const data = { password: Buffer.from("theirs").toString("base64") };
    const secret = await env.create(Secret, { metadata, data });
    const change = (secretRef: object | null) =>
      env.run(env.client.of(RedisInstance).patch(at, { merge: { spec: { auth: { secretRef } } } }));
    await change({ name: "shop-redis" });
    await env.advance("10s");
    expect(accepted(env, "default", first, "theirs")).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(await passwordIn(env, "cache-auth")).toBe("theirs");
    await change(null);
    await env.advance("10s");
    await ask(env, "client");
    await env.advance("10s");
    const last = await passwordIn(env, "cache-auth");
    expect(last).not.toBe("theirs");
    expect(accepted(env, "default", last)).toEqual([[true], [true]]);
    expect(refused).toEqual([]);
    const { metadata: after } = await env.run(env.client.of(Secret).get(metadata));
    expect(after.resourceVersion).toBe(secret.metadata.resourceVersion);
  });

  it("is that of the system's users, too: replicas, probes and the operator go on", async () => {
    await using env = await startTestEnv(options);
    await create(env);
    const before = await podsOf(env);
    const key = async () => (await env.run(env.client.of(Secret).get({ ...at, name: "cache.system" }))).data;
    const old = await key();
    await ask(env, "system");
    await env.advance("20s");
    const now = await key();
    expect(now?.["key"]).not.toBe(old?.["key"]);
    expect(now?.["next-key"]).toBeUndefined();
    const plain = (data: typeof now): string => Buffer.from(data?.["probe"] ?? "", "base64").toString();
    expect(accepted(env, "kedge-probe", plain(old), plain(now))).toEqual([
      [true, true],
      [true, true],
    ]);
    await env.advance("5m");
    expect(accepted(env, "kedge-probe", plain(old), plain(now))).toEqual([
      [false, true],
      [false, true],
    ]);
    // A replica that loses its link logs in anew, and a server that is started again is admitted.
    const primary = await env.run(primaryOf(env));
    for (const link of primary?.followers ?? []) link.end();
    await env.advance("5s");
    expect(modelOf(env).processes.filter(({ isLinked }) => isLinked)).toHaveLength(1);
    env.node.crash({ ...at, name: "cache-1" }, { exitCode: 137 });
    await env.advance("60s");
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(status).toMatchObject({ status: "Running", readyReplicas: "2/2" });
    expect(await podsOf(env)).toEqual([before[0], before[1]?.replace(/0$/u, "1")]);
  });

  it("of the system is known by its old key to a server whose pod sees the Secret late, which is commanded all the same", async () => {
    await using env = await startTestEnv(options);
    await create(env);
    await env.run(modelOf(env).holdSecret(at));
    await ask(env, "system");
    await env.advance("5s");
    expect((await secretOf(env))?.["next-key"]).toBeUndefined();
    for (const name of ["cache-1", "cache-0"]) {
      env.node.crash({ ...at, name }, { exitCode: 137 });
      await env.eventually(RedisInstance, at, ({ status }) => status?.readyReplicas === "1/2");
      await env.eventually(RedisInstance, at, ({ status }) => status?.readyReplicas === "2/2");
    }
    await env.advance("5s");
    // Admitted: nobody can be the user of the start any more.
    expect(modelOf(env).processes.map(({ users }) => users.has("kedge-start"))).toEqual([false, false]);
    // Not before the old ones run out are they all on the new key; after that nobody knows the old one.
    await env.advance("5m");
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(status).toMatchObject({ status: "Running", readyReplicas: "2/2" });
  });

  it("of the system is made again when its Secret is deleted, and pods that know the old ones are let in meanwhile", async () => {
    await using env = await startTestEnv(options);
    await create(env);
    const plain = (data: Awaited<ReturnType<typeof secretOf>>, key: string): string =>
      Buffer.from(data?.[key] ?? "", "base64").toString();
    const [before, old] = [await podsOf(env), await secretOf(env)];
    await env.run(modelOf(env).holdSecret(at));
    const shut: string[] = [];
    const stopping = new AbortController();
    const watch = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        for (const process of modelOf(env).processes)
          for (const [user, key] of [
            ["kedge-probe", "probe"],
            ["kedge-replication", "replication"],
            ["kedge-cli", "cli"],
          ] as const)
            if (!process.accepts(user, plain(old, key))) shut.push(`${process.pod} ${user}`);
        await env.clock.sleep(50);
      }
    };
    inBackground(watch(), (error) => {
      throw error;
    });
    await env.run(env.client.of(Secret).delete({ ...at, name: "cache.system" }));
    await env.advance("10s");
    const now = await secretOf(env);
    expect(now?.["key"]).not.toBe(old?.["key"]);
    // The operator commands them, and probes of pods that have not seen the new Secret are let in.
    expect(accepted(env, "kedge-probe", plain(old, "probe"), plain(now, "probe"))).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(await podsOf(env)).toEqual(before);
    // A container that is started now sees the Secret that was.
    env.node.crash({ ...at, name: "cache-1" }, { exitCode: 137 });
    await env.advance("30s");
    expect(await env.run(env.client.of(RedisInstance).get(at))).toMatchObject({
      status: { status: "Running", readyReplicas: "2/2" },
    });
    stopping.abort();
    expect(shut).toEqual([]);
    await env.advance("5m");
    expect(accepted(env, "kedge-probe", plain(old, "probe"), plain(now, "probe"))).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  it("comes to a good end when the operator is killed before, at and after each write and each command", async () => {
    const { failures, writes } = await crashEverywhere({
      ...rotationScenario,
      choose: (all) => all.filter((_point, index) => index % 9 === 1),
    });
    expect(writes.filter((what) => what.startsWith("redis ")).length).toBeGreaterThan(3);
    expect(failures).toEqual([]);
  }, 600_000);
});

describe("users of the spec", () => {
  const secret = (password: string) => ({ data: { password: Buffer.from(password).toString("base64") } });
  const named = { ...at, name: "app-password" };
  const app = (more: object = {}) => ({
    name: "app",
    commands: ["+@read"],
    keys: ["app:*"],
    passwords: [{ secret: "app-password" }],
    ...more,
  });
  const change = (env: TestEnv, users: readonly object[]) =>
    env.run(env.client.of(RedisInstance).patch(at, { merge: { spec: { users } } }));

  it("come, change their password, are shut out and go while servers run, and are kept over restarts", async () => {
    await using env = await startTestEnv(options);
    await env.create(Secret, { metadata: named, ...secret("one") });
    await create(env, { users: [app()] });
    expect(accepted(env, "app", "one", "two")).toEqual([
      [true, false],
      [true, false],
    ]);
    const before = await podsOf(env);
    await env.run(env.client.of(Secret).patch(named, { merge: secret("two") }));
    await env.advance("5s");
    expect(accepted(env, "app", "one", "two")).toEqual([
      [true, true],
      [true, true],
    ]);
    await env.advance("60s");
    expect(accepted(env, "app", "one", "two")).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(await podsOf(env)).toEqual(before);
    env.node.crash({ ...at, name: "cache-1" }, { exitCode: 137 });
    await env.advance("30s");
    expect(accepted(env, "app", "two")).toEqual([[true], [true]]);
    await change(env, [app({ enabled: false })]);
    await env.advance("5s");
    expect(accepted(env, "app", "two")).toEqual([[false], [false]]);
    await change(env, []);
    await env.advance("5s");
    expect(modelOf(env).processes.map(({ users }) => users.has("app"))).toEqual([false, false]);
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(findCondition(status?.conditions, "UsersApplied")).toBeUndefined();
  });

  it("that the spec does not have any more go, also when the Secret that knew of them is gone", async () => {
    await using env = await startTestEnv(options);
    await env.create(Secret, { metadata: named, ...secret("one") });
    await create(env, { users: [app()] });
    for (const process of modelOf(env).processes) process.users.set("by-hand", { isOn: true, hashes: [] });
    // It is back in a second, and has seen none of it.
    env.process(seededRedisOperator.name).kill();
    await env.run(env.client.of(Secret).delete({ ...at, name: "cache.system" }));
    await change(env, []);
    await env.advance("10s");
    expect(modelOf(env).processes.map(({ users }) => [users.has("app"), users.has("by-hand")])).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  it("are refused by the server before any of them is changed", async () => {
    await using env = await startTestEnv(options);
    await env.create(Secret, { metadata: named, ...secret("one") });
    await create(env, { users: [app()] });
    await change(env, [app({ commands: ["+nonsense"] }), app({ name: "other" })]);
    await env.advance("10s");
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(findCondition(status?.conditions, "UsersApplied")).toMatchObject({
      status: "False",
      reason: "Refused",
      message: expect.stringContaining("was refused by the server of cache-1") as string,
    });
    expect(accepted(env, "app", "one")).toEqual([[true], [true]]);
    expect(accepted(env, "other", "one")).toEqual([[true], [true]]);
  });

  it("wait for their password, and say so", async () => {
    await using env = await startTestEnv(options);
    await create(env, { users: [app()] });
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(findCondition(status?.conditions, "SpecAccepted")?.message).toContain(
      "names the key password of the Secret app-password, which is not there",
    );
    await env.create(Secret, { metadata: named, ...secret("one") });
    await env.advance("5s");
    expect(accepted(env, "app", "one")).toEqual([[true], [true]]);
  });
});
