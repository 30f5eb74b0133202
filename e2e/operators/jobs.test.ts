import { findCondition, formatTime, parseTime } from "@kedge/machinery";
import { Job } from "@kedge/machinery/kinds/batch/v1";
import { Event } from "@kedge/machinery/kinds/core/v1";
import { startTestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { endRunning, has, key, makeJob, podsOf } from "./testing/job-play.ts";

describe("a job in virtual time", () => {
  it("runs its pods to the end, and leaves them without a finalizer", async () => {
    await using env = await startTestEnv();
    await makeJob(env, { completions: 4, parallelism: 2 });
    await env.eventually(Job, key, ({ status }) => status?.ready === 2);
    await endRunning(env, 0);
    await env.eventually(Job, key, ({ status }) => status?.succeeded === 2 && status.ready === 2);
    await endRunning(env, 0);
    const { status } = await env.eventually(Job, key, has("Complete"));
    expect(status).toMatchObject({ succeeded: 4, uncountedTerminatedPods: {} });
    const pods = await podsOf(env);
    expect(pods.map(({ status: { phase } = {}, metadata }) => [phase, metadata.finalizers])).toEqual(
      Array.from({ length: 4 }, () => ["Succeeded", undefined]),
    );
  });

  it("waits longer after each failure: 10 s, 20 s, 40 s, then up to ten minutes", async () => {
    await using env = await startTestEnv();
    await makeJob(env, { backoffLimit: 8 });
    const waits: number[] = [];
    for (let failures = 1; failures <= 8; failures++) {
      await endRunning(env, 1);
      const failed = await env.eventually(Job, key, ({ status }) => status?.failed === failures);
      expect(failed.status?.active ?? 0).toBe(0);
      await env.eventually(Job, key, ({ status }) => (status?.ready ?? 0) > 0, { limit: 3_600_000 });
      const pods = await podsOf(env);
      const made = Math.max(...pods.map(({ metadata }) => parseTime(metadata.creationTimestamp)));
      const ends = pods.map(({ status }) => status?.containerStatuses?.[0]?.state?.terminated?.finishedAt);
      const last = Math.max(...ends.flatMap((time) => (time === undefined ? [] : parseTime(time ?? ""))));
      waits.push((made - last) / 1000);
    }
    expect(waits.map((wait) => Math.round(wait / 10) * 10)).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
    await endRunning(env, 1);
    await env.eventually(Job, key, has("Failed"));
  });

  it("ends at its deadline to the second, however long that is", async () => {
    await using env = await startTestEnv();
    await makeJob(env, { activeDeadlineSeconds: 10 * 3600 });
    await env.eventually(Job, key, ({ status }) => status?.ready === 1);
    const { status } = await env.eventually(Job, key, has("FailureTarget"), { limit: 11 * 3_600_000 });
    const start = parseTime(status?.startTime ?? "");
    const target = findCondition(status?.conditions, "FailureTarget");
    expect(target?.lastTransitionTime).toBe(formatTime(start + 10 * 3_600_000));
    await env.eventually(Job, key, has("Failed"));
    await env.advance("1m");
    const { items } = await env.run(env.client.of(Event).list({ namespace: key.namespace }).all());
    const told = items.filter(({ involvedObject }) => involvedObject.kind === "Job");
    // An event is kept for an hour.
    expect(told.map(({ reason }) => reason)).toEqual(["SuccessfulDelete", "DeadlineExceeded"]);
  });

  it("restarts its container in the pod, where it is told to", async () => {
    await using env = await startTestEnv();
    const template = {
      spec: { restartPolicy: "OnFailure", containers: [{ name: "main", image: "main:1" }] },
    };
    await makeJob(env, { template, backoffLimit: 3 });
    await endRunning(env, 1);
    await env.advance("1m");
    const [pod, ...others] = await podsOf(env);
    expect(others).toEqual([]);
    expect(pod?.status?.containerStatuses?.[0]?.restartCount).toBe(1);
    await endRunning(env, 0);
    await env.eventually(Job, key, has("Complete"));
  });
});
