import { seededRandom, silentLogger } from "@kedge/machinery";
import { Namespace, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { cachesOf, startTestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { actOnReplication } from "./act-replication.ts";
import { ConfigTrials } from "./config-trials.ts";
import { RedisFailure, replyFailure, type FailureCode } from "./engine/failure.ts";
import type { Engine, Reply } from "./engine/types.ts";
import { newContent } from "./credentials/content.ts";
import { systemSecretOf } from "./specs/system-secret.ts";
import { instanceOf } from "./testing/builders.ts";
import { UserTrials } from "./user-trials.ts";

const before = { epoch: 4, primary: "cache-0" };
const instance = instanceOf({ replicas: 3 }, { status: { replication: before } });

/** A server that answers so, or not at all. */
function engineWith(answer: Reply): Engine {
  return {
    server: (address) => ({
      address,
      call: () =>
        answer instanceof RedisFailure && !answer.isReply
          ? Promise.reject(answer)
          : Promise.resolve([answer]),
      onLost: () => undefined,
      [Symbol.dispose]: () => undefined,
    }),
  };
}

/** Takes an epoch because cache-0 was lost, and gives why that failed. */
async function takeWithout(
  answer: Reply,
  seen: "the pod" | "an earlier pod" | "no pod",
  missedMs = 10_000,
): Promise<string> {
  await using env = await startTestEnv({ node: false });
  env.process("controllers").kill();
  await env.create(Namespace, { metadata: { name: "shop" } });
  await env.create(ServiceAccount, { metadata: { namespace: "shop", name: "default" } });
  const spec = { containers: [{ name: "redis", image: "redis:7.0" }] };
  const pod = await env.create(Pod, { metadata: { namespace: "shop", name: "cache-0" }, spec });
  const status = { podIP: "10.0.0.7", podIPs: [{ ip: "10.0.0.7" }] };
  await env.run(env.client.of(Pod).status.patch(pod.metadata, { merge: { status } }));
  const { metadata, ...secret } = systemSecretOf(instance, newContent("k"));
  const stored = { resourceVersion: "7", creationTimestamp: "2026-11-16T00:00:00Z", uid: "s" };
  const uids = { "the pod": pod.metadata.uid, "an earlier pod": "earlier", "no pod": undefined };
  const acting = {
    context: {
      client: env.client,
      signal: new AbortController().signal,
      events: { record: () => undefined, flush: () => Promise.resolve() },
      ...cachesOf([{ ...secret, kind: "Secret", metadata: { ...metadata, ...stored } } as never]),
      clock: env.clock,
      logger: silentLogger,
    },
    instance,
    secretRandom: seededRandom(1),
    engine: engineWith(answer),
    trials: new ConfigTrials(),
    userTrials: new UserTrials(),
  };
  const next = { epoch: 5, primary: "cache-1" };
  const missedAt = env.clock.monotonic() - missedMs;
  const lost = { pod: "cache-0", uid: uids[seen], missedAt };
  return await env
    .run(actOnReplication({ type: "take epoch", before, next, lost } as never, acting))
    .then(() => "taken", String);
}

it.each([
  ["answers", "PONG", "the pod", "cache-0 answers again"],
  ["loads its data", replyFailure("LOADING Redis is loading"), "the pod", "cache-0 answers again"],
  ["was replaced by another pod", failure("REFUSED"), "an earlier pod", "cache-0 is another pod now"],
  ["has a pod that was not seen", failure("REFUSED"), "no pod", "cache-0 is another pod now"],
] as const)("keeps a primary that %s when it is to be given up", async (_, answer, seen, why) => {
  expect(await takeWithout(answer, seen)).toContain(why);
});

it("does not ask again, while writes wait, who was found silent a moment ago", async () => {
  expect(await takeWithout("PONG", "the pod", 100)).toContain("could not find the requested resource");
});

it.each(["REFUSED", "TIMEOUT", "UNREACHABLE"] as const)("gives up a primary that is %s", async (code) => {
  // There is no instance on this server: that it was to be written is what shows.
  expect(await takeWithout(failure(code), "the pod")).toContain("could not find the requested resource");
});

function failure(code: FailureCode): RedisFailure {
  return new RedisFailure(code, "no answer");
}

/** Stops cache-0 before another primary opens; it answers so, one after the other. Gives how that ended, and how long it took. */
async function fenceWith(answers: readonly Reply[], asksFirst = false): Promise<string> {
  await using env = await startTestEnv({ node: false });
  env.process("controllers").kill();
  await env.create(Namespace, { metadata: { name: "shop" } });
  await env.create(ServiceAccount, { metadata: { namespace: "shop", name: "default" } });
  const spec = { containers: [{ name: "redis", image: "redis:7.0" }], nodeName: "one" };
  const pod = await env.create(Pod, { metadata: { namespace: "shop", name: "cache-0" }, spec });
  const running = { ...pod, kind: "Pod", status: { containerStatuses: [{ state: { running: {} } }] } };
  const { metadata, ...secret } = systemSecretOf(instance, newContent("k"));
  const stored = { resourceVersion: "7", creationTimestamp: "2026-11-16T00:00:00Z", uid: "s" };
  const left = [...answers];
  const acting = {
    context: {
      client: env.client,
      signal: new AbortController().signal,
      events: { record: () => undefined, flush: () => Promise.resolve() },
      ...cachesOf([{ ...secret, kind: "Secret", metadata: { ...metadata, ...stored } } as never, running]),
      clock: env.clock,
      logger: silentLogger,
    },
    instance,
    secretRandom: seededRandom(1),
    engine: { server: (...args: Parameters<Engine["server"]>) => engineWith(nextOf(left)).server(...args) },
    trials: new ConfigTrials(),
    userTrials: new UserTrials(),
  };
  const began = env.clock.monotonic();
  const { uid } = pod.metadata;
  const action = { type: "fence", pod: "cache-0", uid, host: "10.0.0.7", asksFirst } as const;
  const ended = await env.run(actOnReplication(action, acting)).then(() => "stopped", String);
  const { metadata: now } = await env.run(env.client.of(Pod).get(pod.metadata));
  const fate = now.deletionGracePeriodSeconds === 1 ? "" : "untouched, ";
  return `${fate}${ended} after ${env.clock.monotonic() - began} ms`;
}

function nextOf(left: Reply[]): Reply {
  return (left.length > 1 ? left.shift() : left[0]) ?? null;
}

const hangs = new RedisFailure("TIMEOUT", "no answer", { wasReached: true });

it.each([
  ["has ended", [hangs, failure("REFUSED")], /^stopped after \d{2} ms$/u],
  ["hangs, for as long as its machine may still kill it", [hangs], /^stopped after 50\d\d ms$/u],
  ["is on a machine that does not answer, for a moment", [failure("TIMEOUT")], /^stopped after 3\d\d ms$/u],
  ["is back, and stays the primary", [hangs, "PONG"], /^StatusError.*cache-0 answers again/u],
] as const)("waits for a primary that %s", async (_when, answers, ended) => {
  expect(await fenceWith(answers)).toMatch(ended);
});

it("asks who may only be saving its data before its pod is deleted", async () => {
  expect(await fenceWith(["PONG"], true)).toMatch(/^untouched, .*cache-0 answers again/u);
  expect(await fenceWith([hangs, hangs, failure("REFUSED")], true)).toMatch(/^stopped after \d{2} ms$/u);
});
