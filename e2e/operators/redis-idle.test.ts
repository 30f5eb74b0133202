import { seededRandom } from "@kedge/machinery";
import { RedisInstance, redisOperator } from "@kedge/redis-operator";
import type { Engine } from "@kedge/redis-operator/engine";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestOperator } from "@kedge/testkit";
import { expect, it } from "vitest";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

it("instances in which nothing happens are asked how they are, and never written", async ({ annotate }) => {
  const counted = new Map<string, number>();
  const counting = (engine: Engine): Engine => ({
    server(address, login, options) {
      const server = engine.server(address, login, options);
      return {
        address,
        call(commands, more) {
          for (const [name = "", part = ""] of commands) {
            const command = name === "INFO" ? `INFO ${part}`.trim() : name;
            counted.set(command, (counted.get(command) ?? 0) + 1);
          }
          return server.call(commands, more);
        },
        onLost: (listener) => server.onLost(listener),
        [Symbol.dispose]: () => server[Symbol.dispose](),
      };
    },
  });
  const operator: TestOperator = {
    ...redisOperator(),
    controllers: (life) => {
      const { programs: model } = life;
      if (!(model instanceof RedisModel)) throw new Error("there is no model");
      const secretRandom = seededRandom(`secrets ${life.number}`);
      return redisOperator({ secretRandom, engine: () => counting(model.engineFor(life)) }).controllers();
    },
  };
  await using env = await startTestEnv({
    operators: [operator],
    programs: (world) => new RedisModel(world),
  });
  const names = ["one", "two", "three", "four"];
  for (const name of names) {
    const key = { namespace: "default", name };
    const spec = { image: "redis:7.0", replicas: name === "four" ? 1 : 2, metrics: { enabled: true } };
    await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: key, spec }));
    await env.eventually(RedisInstance, key, ({ status }) => status?.status === "Running");
  }
  await env.advance("1m");
  counted.clear();
  const { writes } = env.process(operator.name);
  const before = writes.length;
  await env.advance("10m");
  expect(writes.slice(before)).toEqual([]);
  const told = [...counted].map(([name, count]) => `${count} ${name}`).join(", ");
  await annotate(
    `${names.length} instances, 7 servers, 10 minutes: ${told}; no write to the API server`,
    "count",
  );
  // Four times a second for primaries that can fail over, twice for their replicas; the rest is a look now and then.
  expect(counted.get("ROLE") ?? 0).toBeLessThanOrEqual((3 * 4 + 3 * 2) * 600 + 6);
  // Once a second whether they save their data; never more of it while they do not.
  expect(counted.get("INFO persistence") ?? 0).toBeLessThanOrEqual(3 * 600 + 6);
  expect(counted.has("INFO stats")).toBe(false);
  expect((counted.get("INFO") ?? 0) + (counted.get("ACL") ?? 0)).toBeLessThan(200);
}, 600_000);
