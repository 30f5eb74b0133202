import { realClock } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { until } from "../real/wait.ts";
import { redisInstruments, wayOfRedis } from "./redis-journey.ts";
import { applyAsKubectl } from "./testing/apply-as-kubectl.ts";
import { Journal } from "./testing/journal.ts";
import { startOneProcessCluster, type OneProcessCluster } from "./testing/one-process-cluster.ts";
import { answersPing } from "./testing/answers-ping.ts";
import { needs } from "../testing/needs.ts";

const missing = whyNoContainers();

describe("one apply of a RedisInstance", needs(missing), () => {
  const journal = new Journal(realClock);
  let cluster: OneProcessCluster;
  beforeAll(async () => {
    cluster = await startOneProcessCluster(redisInstruments(journal));
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  it("goes through every layer, in order, to a Redis that answers", async () => {
    const sentBy = await applyAsKubectl(cluster, {
      apiVersion: "redis.github.com/v1",
      kind: "RedisInstance",
      metadata: { namespace: "default", name: "cache" },
      spec: { image: "redis:7.0" },
    });
    await until("RedisInstance cache is Running", async () =>
      Promise.resolve(journal.steps.some(({ name }) => name === "running")),
    );
    await until("Redis answers", async () => {
      const answers = await answersPing(cluster.admin, { namespace: "default", name: "cache" });
      if (answers) journal.note("ping", "redis", "answers PING through its Service: PONG");
      return answers;
    });
    process.stdout.write(`\nOne apply, sent by ${sentBy}:\n${journal.toString()}\n\n`);
    expect(journal.steps.map(({ name }) => name)).toEqual(wayOfRedis);
  });
});
