import { seededRandom, silentLogger } from "@kedge/machinery";
import { Namespace, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { cachesOf, startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { setConfig } from "./act-config.ts";
import { ConfigTrials } from "./config-trials.ts";
import { RedisFailure, replyFailure } from "./engine/failure.ts";
import type { Command, Engine, Reply } from "./engine/types.ts";
import { newContent } from "./credentials/content.ts";
import { systemSecretOf } from "./specs/system-secret.ts";
import { instanceOf } from "./testing/builders.ts";
import type { SetConfig } from "./plan/live-config.ts";
import { UserTrials } from "./user-trials.ts";

const instance = instanceOf();

/** Servers that answer so, and what they were told. */
function play(answer: (command: Command) => Reply): { readonly engine: Engine; readonly told: string[] } {
  const told: string[] = [];
  const engine: Engine = {
    server: (address, login) => ({
      address,
      call: async (commands) =>
        await Promise.resolve(
          commands.map((command) => {
            told.push(`${login?.username ?? ""}@${address.host} ${command.join(" ")}`);
            const reply = answer(command);
            if (reply instanceof RedisFailure && !reply.isReply) throw reply;
            return reply;
          }),
        ),
      onLost: () => undefined,
      [Symbol.dispose]: () => undefined,
    }),
  };
  return { engine, told };
}

async function podIn(env: TestEnv, name: string): Promise<Pod> {
  const spec = { containers: [{ name: "redis", image: "redis:7.0" }] };
  return await env.create(Pod, { metadata: { namespace: "shop", name }, spec });
}

async function start(answer: (command: Command) => Reply) {
  const env = await startTestEnv({ node: false });
  env.process("controllers").kill();
  await env.create(Namespace, { metadata: { name: "shop" } });
  await env.create(ServiceAccount, { metadata: { namespace: "shop", name: "default" } });
  const { metadata, ...secret } = systemSecretOf(instance, newContent("k"));
  const stored = { resourceVersion: "7", creationTimestamp: "2026-11-16T00:00:00Z", uid: "s" };
  const caches = cachesOf([{ ...secret, kind: "Secret", metadata: { ...metadata, ...stored } } as never]);
  const trials = new ConfigTrials();
  const { engine, told } = play(answer);
  const context = {
    client: env.client,
    signal: new AbortController().signal,
    events: { record: () => undefined, flush: () => Promise.resolve() },
    ...caches,
    clock: env.clock,
    logger: silentLogger,
  };
  const acting = {
    context,
    instance,
    secretRandom: seededRandom(1),
    engine,
    trials,
    userTrials: new UserTrials(),
  };
  const set = async (pod: string, settings: SetConfig["settings"]): Promise<string | undefined> => {
    const { uid } = (await podIn(env, pod)).metadata;
    const server = { pod, host: `host-of-${pod}`, as: "kedge-operator-3" };
    await env.run(setConfig({ type: "set config", server, uid, settings, marker: "m-1", hash: "h" }, acting));
    const { metadata: after } = await env.run(env.client.of(Pod).get({ namespace: "shop", name: pod }));
    return after.annotations?.["redis.github.com/config-set"];
  };
  return Object.assign(env, { set, told, trials });
}

const settings = [
  ["hz", "50"],
  ["maxmemory", "1gb"],
] as const;

it("sets all at once as the user of the epoch, reads back, and says so on the pod", async () => {
  const values: Record<string, string> = { hz: "50", maxmemory: "1073741824" };
  await using env = await start((command) =>
    command[1] === "GET" ? [command[2] ?? "", values[command[2] ?? ""] ?? ""] : "OK",
  );
  expect(await env.set("cache-0", settings)).toBe("m-1");
  expect(env.told).toEqual([
    "kedge-operator-3@host-of-cache-0 CONFIG SET hz 50 maxmemory 1gb",
    "kedge-operator-3@host-of-cache-0 CONFIG GET hz",
    "kedge-operator-3@host-of-cache-0 CONFIG GET maxmemory",
  ]);
});

it("remembers what a server refuses, in its words, and asks no other", async () => {
  const words = "ERR CONFIG SET failed (possibly related to argument 'save') - Invalid save parameters";
  await using env = await start(() => replyFailure(words));
  expect(await env.set("cache-1", [["save", "x"]])).toBeUndefined();
  expect(await env.set("cache-0", [["save", "x"]])).toBeUndefined();
  expect(env.told).toHaveLength(1);
  expect(env.trials.of(instance.metadata)).toEqual({
    hash: "h",
    pod: "cache-1",
    words: "(possibly related to argument 'save') - Invalid save parameters",
    names: ["save"],
  });
});

it.each([
  ["cannot be reached", () => new RedisFailure("TIMEOUT", "no answer")],
  ["loads its data", () => replyFailure("LOADING Redis is loading the dataset in memory")],
  ["does not have what was set", (command: Command): Reply => (command[1] === "GET" ? ["hz", "10"] : "OK")],
])("leaves a server to the next run that %s", async (_what, answer) => {
  await using env = await start(answer);
  expect(await env.set("cache-0", [["hz", "50"]])).toBeUndefined();
  expect(env.trials.of(instance.metadata)).toBeUndefined();
});
