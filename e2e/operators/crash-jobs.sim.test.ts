import { Job } from "@kedge/machinery/kinds/batch/v1";
import { crashEverywhere } from "@kedge/testkit";
import { expect, it } from "vitest";
import { endRunning, has, key, makeJob, podsOf } from "./testing/job-play.ts";

it("a job counts each pod once, wherever its controller loses an answer", async () => {
  const { failures, writes } = await crashEverywhere({
    options: {},
    process: "controllers",
    choose: (points) => points.filter(({ when }) => when === "at"),
    act: async (env) => {
      await makeJob(env, { completions: 2, parallelism: 2, backoffLimit: 4 });
      const isRunning = ({ status }: Job): boolean => status?.ready === 2;
      await env.eventually(Job, key, isRunning);
      const [first, second] = await podsOf(env);
      for (const pod of [first, second])
        env.node.crash(pod?.metadata ?? key, { exitCode: pod === first ? 1 : 0 });
      await env.eventually(
        Job,
        key,
        ({ status }) => (status?.failed ?? 0) > 0 && (status?.succeeded ?? 0) > 0,
      );
      await endRunning(env, 0);
      const { status } = await env.eventually(Job, key, has("Complete"));
      expect(status).toMatchObject({ succeeded: 2, failed: 1 });
    },
  });
  expect(writes.length).toBeGreaterThan(8);
  expect(failures).toEqual([]);
});
