import { createHash } from "node:crypto";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret } from "@kedge/machinery/kinds/core/v1";
import type { Command, RedisServer, Reply } from "@kedge/redis-operator/engine";
import { startTestEnv, type OperatorLife, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

const namespace = "default";
const hash = createHash("sha256").update("secret").digest("hex");
const login = { username: "kedge-start", password: "secret" };
const key = (ordinal: number) => ({ namespace, name: `cache-${ordinal}` });

interface Stage extends AsyncDisposable {
  readonly env: TestEnv;
  readonly model: RedisModel;
  say(ordinal: number, ...commands: readonly Command[]): Promise<readonly Reply[]>;
  write(ordinal: number, name: string): Promise<Reply | undefined>;
}

/** Servers in pods of their own, as a start script would start them, and nobody who looks after them. */
async function stage(count: number, config = "appendonly yes"): Promise<Stage> {
  let life: OperatorLife | undefined;
  const operator = {
    name: "nobody",
    kinds: [],
    controllers: (own: OperatorLife) => {
      life = own;
      return [];
    },
  };
  const env = await startTestEnv({ operators: [operator], programs: (world) => new RedisModel(world) });
  const { client } = env;
  const data = (text: string): string => Buffer.from(text).toString("base64");
  const users = ["kedge-replication", "kedge-start"].map((name) => `user ${name} on #${hash} ~* &* +@all`);
  await env.create(Secret, {
    metadata: { namespace, name: "cache.system" },
    data: {
      "users.acl": data([`user default on #${hash} ~* &* +@all`, ...users].join("\n")),
      replication: data("secret"),
    },
  });
  await env.create(ConfigMap, {
    metadata: { namespace, name: "cache.peers" },
    data: { replicas: String(count), wanted: String(count), initialized: "false" },
  });
  await env.create(ConfigMap, { metadata: { namespace, name: "config" }, data: { "redis.conf": config } });
  for (let ordinal = 0; ordinal < count; ordinal++) {
    await env.create(PersistentVolumeClaim, {
      metadata: { namespace, name: `data-${ordinal}` },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    await env.create(Pod, {
      metadata: key(ordinal),
      spec: {
        containers: [{ name: "redis", image: "redis:7.0" }],
        volumes: [
          { name: "data", persistentVolumeClaim: { claimName: `data-${ordinal}` } },
          { name: "redis-config", configMap: { name: "config" } },
        ],
      },
    });
  }
  const model = env.programs;
  if (!(model instanceof RedisModel) || life === undefined) throw new Error("there is no model");
  const engine = model.engineFor(life);
  const server = async (ordinal: number): Promise<RedisServer> => {
    const { status } = await env.run(client.of(Pod).get(key(ordinal)));
    return engine.server({ host: status?.podIP ?? "", port: 6379 }, login);
  };
  await env.untilQuiet();
  const say: Stage["say"] = async (ordinal, ...commands) => {
    using connection = await server(ordinal);
    return await env.run(connection.call(commands));
  };
  return {
    env,
    model,
    say,
    write: async (ordinal, name) => (await say(ordinal, ["SET", name, "1"]))[0],
    [Symbol.asyncDispose]: () => env[Symbol.asyncDispose](),
  };
}

/** `master`, or `slave` with whom it follows and how that goes. */
async function role(world: Stage, ordinal: number): Promise<string> {
  const [reply] = await world.say(ordinal, ["ROLE"]);
  const words: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return words[0] === "slave" ? `slave ${String(words[1])} ${String(words[3])}` : String(words[0]);
}

describe("a model of Redis in virtual time", () => {
  it("has a primary that two replicas follow, a little behind", async () => {
    await using world = await stage(3);
    expect(await world.write(0, "a")).toBe("OK");
    expect(await world.say(1, ["GET", "a"])).toEqual([null]);
    await world.env.advance(100);
    expect(await world.say(1, ["GET", "a"])).toEqual(["1"]);
    expect(await role(world, 0)).toBe("master");
    expect(await role(world, 2)).toBe("slave cache-0.cache-headless.default.svc connected");
    expect(await world.write(1, "b")).toMatchObject({ code: "READONLY" });
  });

  it.each([
    ["keeps what it has written down", "appendonly yes", "1"],
    ["loses what it has not", 'appendonly no\nsave ""', null],
  ])("%s when its process ends", async (_name, config, found) => {
    await using world = await stage(1, config);
    await world.write(0, "a");
    world.env.node.crash(key(0), { exitCode: 137 });
    await world.env.advance("5s");
    expect(await world.say(0, ["GET", "a"])).toEqual([found]);
  });

  it("holds a restarted server until a peer is the primary of the newest epoch", async () => {
    await using world = await stage(2);
    await world.write(0, "a");
    await world.env.advance(100);
    await world.env.run(
      world.env.client
        .of(ConfigMap)
        .patch({ namespace, name: "cache.peers" }, { merge: { data: { initialized: "true" } } }),
    );
    await world.say(
      1,
      ["MULTI"],
      ["ACL", "SETUSER", "kedge-primary-2", "off"],
      ["REPLICAOF", "NO", "ONE"],
      ["ACL", "SAVE"],
      ["EXEC"],
    );
    world.env.node.crash(key(0));
    await world.write(1, "b");
    await world.env.advance("20s");
    expect(await role(world, 0)).toBe("slave cache-1.cache-headless.default.svc connected");
    expect(await world.say(0, ["GET", "b"])).toEqual(["1"]);
    expect(world.model.admissions.violations).toEqual([]);
  });

  it("hands over by FAILOVER without loss", async () => {
    await using world = await stage(2);
    await world.write(0, "a");
    const host = world.model.server(key(1))?.options.address ?? "";
    await world.say(0, ["FAILOVER", "TO", host, "6379", "TIMEOUT", "1000"]);
    await world.env.advance("2s");
    expect(await role(world, 1)).toBe("master");
    expect(await role(world, 0)).toBe(`slave ${host} connected`);
    expect(await world.say(1, ["GET", "a"])).toEqual(["1"]);
  });

  it("says that two were primary in one epoch, and that one lacks what another has", async () => {
    await using world = await stage(2);
    world.model.cut("default/cache-0", "default/cache-1");
    await world.write(0, "a");
    world.model.admissions.acknowledge("a", "1");
    await world.say(1, ["ACL", "SETUSER", "kedge-primary-1", "off"], ["REPLICAOF", "NO", "ONE"]);
    expect(world.model.admissions.violations).toEqual([
      "epoch 1 has two primaries: default/cache-0 and default/cache-1",
      expect.stringContaining("default/cache-1 became primary in epoch 1 without 1 acknowledged writes"),
    ]);
  });

  it("does not answer an operator that is cut off, or while it is paused", async () => {
    await using world = await stage(1);
    world.model.cut("operator", "default/cache-0");
    await expect(world.say(0, ["PING"])).rejects.toMatchObject({ code: "TIMEOUT" });
    world.model.heal();
    const server = world.model.server(key(0));
    if (server === undefined) throw new Error("no server");
    server.isPaused = true;
    await expect(world.say(0, ["PING"])).rejects.toMatchObject({ code: "TIMEOUT" });
    server.isPaused = false;
    expect(await world.say(0, ["PING"])).toEqual(["PONG"]);
    server.end(false);
    await expect(world.say(0, ["PING"])).rejects.toMatchObject({ code: "REFUSED" });
  });

  it("goes on from a snapshot, with what was in memory", async () => {
    await using world = await stage(2, 'appendonly no\nsave ""');
    await world.write(0, "a");
    await world.env.advance("1s");
    const from = await world.env.snapshot();
    await using later = await startTestEnv({ from, programs: (made) => new RedisModel(made) });
    const model = later.programs;
    if (!(model instanceof RedisModel)) throw new Error("there is no model");
    await later.advance("5s");
    expect(model.server(key(0))?.data.get("a")).toBe("1");
    expect(model.server(key(1))?.isLinked).toBe(true);
  });
});
