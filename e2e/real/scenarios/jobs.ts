import type { Scenario } from "../testing/workload-stages.ts";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { Job } from "@kedge/machinery/kinds/batch/v1";
import { until } from "../wait.ts";
import {
  change,
  endAll,
  indexed,
  make,
  template,
  untilWorkIsGone,
  untilSaid,
  untilStatus,
} from "./job-steps.ts";

/** Jobs: counts, limits, deadlines, suspension, ownership. */
export const jobScenarios: readonly Scenario[] = [
  [
    "one pod that succeeds",
    async (stage) => {
      await make(stage);
      await endAll(stage, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "a pod that runs and is ready",
    async (stage) => {
      await make(stage);
      await untilStatus(stage, ({ ready }) => ready === 1);
    },
  ],
  [
    "three successes, two at a time",
    async (stage) => {
      await make(stage, { completions: 3, parallelism: 2 });
      await endAll(stage, 0, 0);
      await endAll(stage, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "no number of successes: one is enough, the others may finish",
    async (stage) => {
      await make(stage, { parallelism: 2 });
      const [first, second] = await stage.untilRunning(2);
      await stage.end(first, 0);
      await untilStatus(stage, ({ succeeded }) => succeeded === 1);
      await stage.end(second, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "no successes wanted",
    async (stage) => {
      await make(stage, { completions: 0 });
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "no pods allowed",
    async (stage) => {
      await make(stage, { completions: 3, parallelism: 0 });
      await untilStatus(stage, ({ ready }) => ready === 0);
    },
  ],
  [
    "a failure, and a pod in its place that succeeds",
    async (stage) => {
      await make(stage);
      await endAll(stage, 1);
      await endAll(stage, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "a failure when none is allowed",
    async (stage) => {
      await make(stage, { backoffLimit: 0, completions: 2, parallelism: 2 });
      const [first] = await stage.untilRunning(2);
      await stage.end(first, 1);
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "more failures than are allowed",
    async (stage) => {
      await make(stage, { backoffLimit: 1 });
      await endAll(stage, 1);
      await endAll(stage, 2);
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "restarts in its pod, more than are allowed",
    async (stage) => {
      await make(stage, { backoffLimit: 2, template: template("OnFailure") });
      const [pod] = await stage.untilRunning(1);
      const { name = "" } = pod?.spec.containers[0] ?? {};
      const running = { state: { running: { startedAt: pod?.metadata.creationTimestamp } } };
      const containerStatuses = [
        { name, image: "main:1", imageID: "", ready: true, restartCount: 2, ...running },
      ];
      await stage.client
        .of(Pod)
        .status.patch(pod?.metadata ?? stage.at(""), { strategic: { status: { containerStatuses } } });
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "a deadline",
    async (stage) => {
      await make(stage, { activeDeadlineSeconds: 2, parallelism: 2, completions: 2 });
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "a deadline that comes later",
    async (stage) => {
      await make(stage);
      await stage.untilRunning(1);
      await change(stage, { activeDeadlineSeconds: 1 });
      await untilSaid(stage, "Failed");
    },
  ],
  [
    "made suspended",
    async (stage) => {
      await make(stage, { suspend: true });
      await untilSaid(stage, "Suspended");
    },
  ],
  [
    "suspended while it runs, and resumed",
    async (stage) => {
      await make(stage, { parallelism: 2, completions: 2 });
      await stage.untilRunning(2);
      await change(stage, { suspend: true });
      await untilSaid(stage, "Suspended");
      await until("its pods are gone", async () => (await stage.pods()).length === 0);
      await change(stage, { suspend: false });
      await untilSaid(stage, "Suspended", "False");
      await endAll(stage, 0, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "fewer and more at a time",
    async (stage) => {
      await make(stage, { parallelism: 3, completions: 5 });
      await stage.untilRunning(3);
      await change(stage, { parallelism: 1 });
      await stage.untilRunning(1);
      await change(stage, { parallelism: 2 });
      await stage.untilRunning(2);
    },
  ],
  [
    "a pod that somebody deletes",
    async (stage) => {
      await make(stage);
      const [pod] = await stage.untilRunning(1);
      await stage.client.of(Pod).delete(pod?.metadata ?? stage.at(""));
      await untilStatus(stage, ({ failed }) => failed === 1);
    },
  ],
  [
    "a pod that somebody deletes, replaced only when it has failed",
    async (stage) => {
      await make(stage, { podReplacementPolicy: "Failed" });
      const [pod] = await stage.untilRunning(1);
      await stage.client.of(Pod).delete(pod?.metadata ?? stage.at(""));
      await untilStatus(stage, ({ failed }) => failed === 1);
    },
  ],
  [
    "indexes",
    async (stage) => {
      await make(stage, indexed(3));
      await endAll(stage, 0, 0, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "indexes, some of them done",
    async (stage) => {
      await make(stage, indexed(5, { parallelism: 3 }));
      const [zero, , two] = await stage.untilRunning(3);
      await stage.end(zero, 0);
      await stage.end(two, 0);
      await untilStatus(stage, ({ completedIndexes, ready }) => completedIndexes === "0,2" && ready === 3);
    },
  ],
  [
    "an index that fails and is tried again",
    async (stage) => {
      await make(stage, indexed(2));
      await endAll(stage, 1, 0);
      await endAll(stage, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "more indexes, and fewer",
    async (stage) => {
      await make(stage, indexed(2));
      await stage.untilRunning(2);
      await change(stage, { completions: 4, parallelism: 4 });
      await stage.untilRunning(4);
      await change(stage, { completions: 1, parallelism: 1 });
      await stage.untilRunning(1);
    },
  ],
  [
    "managed by somebody else",
    async (stage) => {
      await make(stage, { managedBy: "example.com/other" }, "other");
      await make(stage, { managedBy: "kubernetes.io/job-controller" });
      await endAll(stage, 0);
      await untilSaid(stage, "Complete");
    },
  ],
  [
    "an orphan that fits its selector, and a pod that does not fit any more",
    async (stage) => {
      const labels = { mine: "yes" };
      await stage.client
        .of(Pod)
        .create({ metadata: { ...stage.at("orphan"), labels }, spec: template().spec });
      const spec = { ...template(), metadata: { labels } };
      const manual = { manualSelector: true, selector: { matchLabels: labels }, template: spec };
      await make(stage, { ...manual, parallelism: 2, completions: 2 });
      const pods = await stage.untilRunning(2);
      const released = pods.find(({ metadata }) => metadata.name !== "orphan");
      await stage.client.of(Pod).patch(released?.metadata ?? stage.at(""), {
        merge: { metadata: { labels: { mine: "no", note: "x" } } },
      });
      await stage.untilRunning(3);
      await untilStatus(stage, ({ ready }) => ready === 2);
    },
  ],
  [
    "its pods outlive it, free of its finalizer",
    async (stage) => {
      await make(stage, { parallelism: 2, completions: 2 });
      const [first] = await stage.untilRunning(2);
      await stage.end(first, 0);
      await untilStatus(stage, ({ succeeded }) => succeeded === 1);
      await stage.client.of(Job).delete(stage.at("work"), { propagation: "Orphan" });
      await untilWorkIsGone(stage);
      await until("the pods are free", async () =>
        (await stage.pods()).every(({ metadata }) => metadata.finalizers === undefined),
      );
    },
  ],
  [
    "its pods go with it",
    async (stage) => {
      await make(stage, { parallelism: 2, completions: 2 });
      await stage.untilRunning(2);
      await stage.client.of(Job).delete(stage.at("work"), { propagation: "Foreground" });
      await untilWorkIsGone(stage);
      await until("its pods are gone", async () => (await stage.pods()).length === 0);
    },
  ],
  [
    "gone when it has been finished for as long as it says",
    async (stage) => {
      await make(stage, { ttlSecondsAfterFinished: 1 });
      await endAll(stage, 0);
      await untilWorkIsGone(stage);
      await until("its pods are gone", async () => (await stage.pods()).length === 0);
    },
  ],
];
