import type { Job, JobStatus } from "@kedge/machinery/kinds/batch/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { ago, now } from "../testing/builders.ts";
import { failed, job, jobPod, succeeded } from "../testing/job-builders.ts";
import { noBackoff } from "./backoff.ts";
import { countEnded, settleCounting, trackedUids } from "./counting.ts";
import { factsOf } from "./facts.ts";
import { planJob } from "./plan.ts";

/** The two statuses of a run in which everything goes as planned, and whose finalizers go between them. */
function counted(of: Job, pods: readonly Pod[]) {
  const view = { job: of, pods, backoff: noBackoff, now };
  const facts = factsOf(view);
  const plan = planJob(view, facts);
  const outcome = { created: plan.create.length, deleted: [...plan.end, ...plan.giveUp] };
  const counting = countEnded(view, facts, plan, outcome);
  const released = counting.release.map(({ metadata }) => metadata.name);
  const tracked = new Set([...trackedUids(pods)].filter((uid) => !released.includes(uid)));
  return { first: counting.status, released, last: settleCounting(counting, tracked, now) };
}

const typesOf = ({ conditions = [] }: JobStatus): string =>
  conditions.map(({ type, status, reason }) => `${type}=${status} ${reason ?? ""}`).join(", ");

describe("counting what has ended", () => {
  it("names it before its finalizer goes, and counts it after", () => {
    const pods = [succeeded("a"), failed("b"), jobPod("c", { readyFor: 3 })];
    const { first, released, last } = counted(job({ parallelism: 1, completions: 3 }), pods);
    expect(released).toEqual(["a", "b"]);
    expect(first).toEqual({
      startTime: ago(60),
      active: 1,
      ready: 1,
      terminating: 0,
      uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] },
    });
    expect(last).toMatchObject({ succeeded: 1, failed: 1, uncountedTerminatedPods: {} });
  });
  it("counts what a run before has named and freed, once", () => {
    const status = { uncountedTerminatedPods: { succeeded: ["a", "b"] } };
    const pods = [succeeded("a", { counted: true }), succeeded("b"), jobPod("c")];
    const { first, released, last } = counted(job({ completions: 3 }, status), pods);
    expect(first).toMatchObject({ succeeded: 1, uncountedTerminatedPods: { succeeded: ["b"] } });
    expect(released).toEqual(["b"]);
    expect(last).toMatchObject({ succeeded: 2, uncountedTerminatedPods: {} });
  });
  it("never counts a failure that its policy ignores, but lets the pod go", () => {
    const podFailurePolicy = { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [1] } }] };
    const { released, last } = counted(job({ podFailurePolicy }), [failed("a")]);
    expect(released).toEqual(["a"]);
    expect(last).not.toHaveProperty("failed");
  });
  it("keeps a failed pod until the pod that replaces it has taken over the failures of its index", () => {
    const spec = { completionMode: "Indexed", completions: 1, backoffLimitPerIndex: 3 };
    const lost = failed("a", { index: 0, failures: 0 });
    expect(counted(job(spec), [lost]).released).toEqual([]);
    expect(counted(job(spec), [lost, jobPod("b", { index: 0, failures: 1 })]).released).toEqual(["a"]);
  });
  it("counts indexes, not pods", () => {
    const spec = { completionMode: "Indexed", completions: 4, parallelism: 1 };
    const pods = [succeeded("a", { index: 1 }), succeeded("b", { index: 1 }), jobPod("c", { index: 2 })];
    const { first, last } = counted(job(spec, { completedIndexes: "0", succeeded: 1 }), pods);
    expect(first).toMatchObject({ completedIndexes: "0,1", succeeded: 2, uncountedTerminatedPods: {} });
    expect(last).toEqual(first);
  });
  it("stops at 500, and does not call the job finished", () => {
    const pods = Array.from({ length: 600 }, (_, i) => succeeded(`p${i}`));
    const { released, last } = counted(job({ completions: 600, parallelism: 600 }), pods);
    expect(released).toHaveLength(500);
    expect(typesOf(last)).toBe("SuccessCriteriaMet=True CompletionsReached");
  });
});

describe("what a job says of itself", () => {
  it("is complete when it has its successes and nothing is left", () => {
    const { first, last } = counted(job(), [succeeded("a")]);
    expect(typesOf(first)).toBe("SuccessCriteriaMet=True CompletionsReached");
    expect(typesOf(last)).toBe(
      "SuccessCriteriaMet=True CompletionsReached, Complete=True CompletionsReached",
    );
    expect(last).toMatchObject({ succeeded: 1, completionTime: ago(0) });
  });
  it("is not complete while something runs", () => {
    const { last } = counted(job({ parallelism: 2 }), [succeeded("a"), jobPod("b")]);
    expect(typesOf(last)).toBe("");
  });
  it("has failed only when its pods are gone, all of which count as failed", () => {
    const limit = job({ parallelism: 2, completions: 2, backoffLimit: 0 });
    const { last, released } = counted(limit, [failed("a"), jobPod("b", { readyFor: 1 })]);
    expect(released).toEqual(["a", "b"]);
    expect(last).toMatchObject({ failed: 2, terminating: 1, ready: 0 });
    expect(typesOf(last)).toBe("FailureTarget=True BackoffLimitExceeded");
    const after = counted({ ...limit, status: last }, []).last;
    expect(typesOf(after)).toBe("FailureTarget=True BackoffLimitExceeded, Failed=True BackoffLimitExceeded");
    expect(after).not.toHaveProperty("completionTime");
  });
  it("does not count the pods that its success policy ends", () => {
    const successPolicy = { rules: [{ succeededCount: 1 }] };
    const spec = { completionMode: "Indexed", completions: 2, parallelism: 2, successPolicy };
    const { last } = counted(job(spec), [succeeded("a", { index: 0 }), jobPod("b", { index: 1 })]);
    expect(last).toMatchObject({ succeeded: 1, terminating: 1 });
    expect(last).not.toHaveProperty("failed");
  });
  it("is suspended, without a time of start, and begins anew when it is resumed", () => {
    const { last } = counted(job({ suspend: true }), [jobPod("a")]);
    expect(typesOf(last)).toBe("Suspended=True JobSuspended");
    expect(last).not.toHaveProperty("startTime");
    expect(last).not.toHaveProperty("active");
    const resumed = counted({ ...job(), status: last }, []).last;
    expect(typesOf(resumed)).toBe("Suspended=False JobResumed");
    expect(resumed).toMatchObject({ startTime: ago(0), active: 1 });
  });
  it("says nothing of being suspended when it never was", () => {
    expect(typesOf(counted(job(), []).last)).toBe("");
  });
});
