import type { Job } from "@kedge/machinery/kinds/batch/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { ago, now } from "../testing/builders.ts";
import { failed, job, jobPod, succeeded } from "../testing/job-builders.ts";
import { noBackoff, type Backoff } from "./backoff.ts";
import { factsOf } from "./facts.ts";
import { planJob } from "./plan.ts";

/** What a plan does, in a line. */
function planned(of: Job, pods: readonly Pod[], backoff: Backoff = noBackoff): string {
  const view = { job: of, pods, backoff, now };
  const { ending, end, giveUp, create, lookAgainAfter } = planJob(view, factsOf(view));
  const names = (some: readonly { readonly metadata: { readonly name: string } }[]): string =>
    some.map(({ metadata }) => metadata.name).join(" ");
  return [
    ending === undefined ? "" : `${ending.type} ${ending.reason}`,
    end.length === 0 ? "" : `end ${names(end)}`,
    giveUp.length === 0 ? "" : `give up ${names(giveUp)}`,
    create.length === 0 ? "" : `create ${create.map(({ index }) => index ?? "one").join(" ")}`,
    lookAgainAfter === undefined ? "" : `in ${lookAgainAfter / 1000} s`,
  ]
    .filter((text) => text !== "")
    .join(", ");
}

const indexed = (completions: number, spec: Partial<Job["spec"]> = {}): Partial<Job["spec"]> => ({
  completionMode: "Indexed",
  completions,
  parallelism: completions,
  ...spec,
});
const perIndex = (spec: Partial<Job["spec"]> = {}): Partial<Job["spec"]> =>
  indexed(3, { backoffLimitPerIndex: 1, backoffLimit: 2 ** 31 - 1, ...spec });
const policy = (...rules: NonNullable<Job["spec"]["podFailurePolicy"]>["rules"]) => ({
  podFailurePolicy: { rules },
});
const onCode = (action: string, ...values: number[]) => ({ action, onExitCodes: { operator: "In", values } });
const onDisruption = (action: string) => ({
  action,
  onPodConditions: [{ type: "DisruptionTarget", status: "True" }],
});
const told = (type: string, reason: string) => ({
  conditions: [{ type, status: "True", reason, message: "" }],
});

describe("how many pods a job has", () => {
  const cases: readonly [string, Job, readonly Pod[], string][] = [
    ["as many as may run at once", job({ parallelism: 3, completions: 5 }), [], "create one one one"],
    ["no more than successes are missing", job({ parallelism: 3, completions: 2 }), [], "create one one"],
    [
      "one for each that has ended well, until enough have",
      job({ parallelism: 2, completions: 3 }),
      [succeeded("a"), jobPod("b")],
      "create one",
    ],
    [
      "none when those that run may be enough",
      job({ parallelism: 2, completions: 2 }),
      [succeeded("a"), jobPod("b")],
      "",
    ],
    ["counted successes count", job({ parallelism: 2, completions: 3 }, { succeeded: 2 }), [jobPod("b")], ""],
    [
      "without a number: as many as may run, until one succeeds",
      job({ parallelism: 2 }),
      [jobPod("a")],
      "create one",
    ],
    [
      "without a number: no more when one has succeeded",
      job({ parallelism: 3 }),
      [succeeded("a"), jobPod("b")],
      "",
    ],
    [
      "fewer when fewer may run: the one that has come least far goes",
      job({ parallelism: 1, completions: 5 }),
      [jobPod("a", { readyFor: 9 }), jobPod("b"), jobPod("c", { phase: "Pending", node: "" })],
      "give up c b",
    ],
    ["none while it is suspended", job({ suspend: true }), [jobPod("a"), succeeded("b")], "give up a"],
    [
      "one for a pod that goes, after the pause of a failure",
      job(),
      [jobPod("a", { terminating: true })],
      "in 10 s",
    ],
    [
      "one for a pod that goes, only when it has ended",
      job({ podReplacementPolicy: "Failed" }),
      [jobPod("a", { terminating: true })],
      "",
    ],
    ["at most 500 at once", job({ parallelism: 501, completions: 501 }), [], `create${" one".repeat(500)}`],
  ];
  it.each(cases)("%s", (_name, of, pods, expected) => {
    expect(planned(of, pods)).toBe(expected);
  });
  it("none while it is being deleted", () => {
    const going = job();
    going.metadata.deletionTimestamp = ago(0);
    expect(planned(going, [])).toBe("");
  });
});

describe("the pause after failures", () => {
  const cases: readonly [string, Backoff, readonly Pod[], string][] = [
    ["10 s after the first", noBackoff, [failed("a", { ended: 4 })], "in 6 s"],
    ["doubled by each", { failures: 2, lastFailure: 0 }, [failed("a", { ended: 4 })], "in 36 s"],
    ["at most ten minutes", { failures: 30, lastFailure: 0 }, [failed("a", { ended: 0 })], "in 600 s"],
    ["over", noBackoff, [failed("a", { ended: 11 })], "create one"],
    [
      "begins anew with a success after it",
      { failures: 5, lastFailure: now },
      [succeeded("s")],
      "create one",
    ],
    [
      "counts what failed after the last success",
      { failures: 5, lastFailure: now },
      [succeeded("s", { ended: 3 }), failed("a", { ended: 4 }), failed("b", { ended: 2 })],
      "in 8 s",
    ],
  ];
  it.each(cases)("%s", (_name, backoff, pods, expected) => {
    expect(planned(job({ completions: 4, backoffLimit: 99 }), pods, backoff)).toBe(expected);
  });
});

describe("the pods of an indexed job", () => {
  const cases: readonly [string, Job, readonly Pod[], string][] = [
    ["are made for the first indexes", job(indexed(5, { parallelism: 2 })), [], "create 0 1"],
    [
      "are made for indexes that have neither a success nor a pod",
      job(indexed(6, { parallelism: 4 }), { completedIndexes: "0,2" }),
      [jobPod("a", { index: 1 }), succeeded("b", { index: 3 })],
      "create 4 5",
    ],
    [
      "are given up when they have no index, one that is too high, or one that another has",
      job(indexed(2)),
      [
        jobPod("a"),
        jobPod("b", { index: 2 }),
        jobPod("c", { index: 0 }),
        jobPod("d", { index: 0, readyFor: 5 }),
      ],
      "give up a b c",
    ],
    [
      "wait for one of the same index that goes",
      job(indexed(2, { podReplacementPolicy: "Failed" })),
      [jobPod("a", { index: 0, terminating: true })],
      "create 1",
    ],
    [
      "are replaced when each index has its own pause",
      job(perIndex()),
      [failed("a", { index: 0, failures: 0, ended: 3 }), failed("b", { index: 1, failures: 0 })],
      "create 1 2, in 7 s",
    ],
    [
      "are not replaced when their index has failed too often",
      job(perIndex()),
      [failed("a", { index: 0, failures: 1 }), jobPod("b", { index: 1 })],
      "create 2",
    ],
  ];
  it.each(cases)("%s", (_name, of, pods, expected) => {
    expect(planned(of, pods)).toBe(expected);
  });
});

describe("the end of a job", () => {
  const active = jobPod("z");
  const cases: readonly [string, Job, readonly Pod[], string][] = [
    [
      "by more failures than its limit",
      job({ backoffLimit: 1 }, { failed: 1 }),
      [failed("a"), active],
      "FailureTarget BackoffLimitExceeded, end z",
    ],
    ["not by as many as its limit", job({ backoffLimit: 1 }), [failed("a"), active], ""],
    [
      "by restarts, where pods restart",
      job({
        backoffLimit: 2,
        template: { spec: { restartPolicy: "OnFailure", containers: [{ name: "main", image: "main:1" }] } },
      }),
      [jobPod("a", { restarts: 2 })],
      "FailureTarget BackoffLimitExceeded, end a",
    ],
    [
      "by its deadline",
      job({ activeDeadlineSeconds: 60 }),
      [active],
      "FailureTarget DeadlineExceeded, end z",
    ],
    ["not before its deadline", job({ activeDeadlineSeconds: 90 }), [active], "in 30 s"],
    ["not by its deadline while it is suspended", job({ activeDeadlineSeconds: 6, suspend: true }), [], ""],
    [
      "by a rule for an exit code",
      job(policy(onCode("FailJob", 42))),
      [failed("a", { exitCode: 42 }), active],
      "FailureTarget PodFailurePolicy, end z",
    ],
    [
      "not by a failure that a rule ignores",
      job({ backoffLimit: 0, ...policy(onCode("Ignore", 42)) }),
      [failed("a", { exitCode: 42 })],
      "create one",
    ],
    [
      "not by a disruption that a rule ignores, though a later one would fail the job",
      job({ backoffLimit: 0, ...policy(onDisruption("Ignore"), onCode("FailJob", 1)) }),
      [failed("a", { condition: "DisruptionTarget" })],
      "create one",
    ],
    [
      "by a failure that a rule counts, before one that ignores it",
      job({ backoffLimit: 0, ...policy(onCode("Count", 42), onCode("Ignore", 42)) }),
      [failed("a", { exitCode: 42 })],
      "FailureTarget BackoffLimitExceeded",
    ],
    [
      "by indexes that failed, when the rest has ended",
      job(perIndex(), { completedIndexes: "1,2" }),
      [failed("a", { index: 0, failures: 1 })],
      "FailureTarget FailedIndexes",
    ],
    [
      "by too many indexes that failed",
      job(perIndex({ maxFailedIndexes: 0 })),
      [failed("a", { index: 0, failures: 1 }), jobPod("b", { index: 1 })],
      "FailureTarget MaxFailedIndexesExceeded, end b",
    ],
    [
      "not by a rule that fails only the index",
      job(perIndex(policy(onCode("FailIndex", 42)))),
      [
        failed("a", { index: 0, failures: 0, exitCode: 42 }),
        jobPod("b", { index: 1 }),
        jobPod("c", { index: 2 }),
      ],
      "",
    ],
    [
      "by its success policy: these indexes",
      job(indexed(4, { successPolicy: { rules: [{ succeededIndexes: "0,2" }] } })),
      [succeeded("a", { index: 0 }), succeeded("b", { index: 2 }), jobPod("c", { index: 1 })],
      "SuccessCriteriaMet SuccessPolicy, end c",
    ],
    [
      "by its success policy: so many of these",
      job(indexed(4, { successPolicy: { rules: [{ succeededIndexes: "1-3", succeededCount: 1 }] } })),
      [succeeded("a", { index: 0 }), succeeded("b", { index: 2 }), jobPod("c", { index: 1 })],
      "SuccessCriteriaMet SuccessPolicy, end c",
    ],
    [
      "not by others than its success policy names",
      job(indexed(2, { successPolicy: { rules: [{ succeededIndexes: "1" }] } })),
      [succeeded("a", { index: 0 }), jobPod("c", { index: 1 })],
      "",
    ],
    [
      "as it was told before, whatever has come since",
      job({}, told("FailureTarget", "DeadlineExceeded")),
      [succeeded("a"), active],
      "FailureTarget DeadlineExceeded, end z",
    ],
  ];
  it.each(cases)("%s", (_name, of, pods, expected) => {
    expect(planned(of, pods)).toBe(expected);
  });
});
