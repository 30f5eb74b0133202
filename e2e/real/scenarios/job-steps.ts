import { findCondition } from "@kedge/machinery";
import { Job } from "@kedge/machinery/kinds/batch/v1";
import type { Stage } from "../testing/workload-stages.ts";
import { until, untilGone } from "../wait.ts";

/** What is said of a job beside its template. */
export type Spec = Partial<Job["spec"]>;

/** A template for its pods. */
export const template = (restartPolicy = "Never", more: object = {}) => ({
  metadata: { labels: { app: "work" }, annotations: { note: "template" } },
  spec: { restartPolicy, containers: [{ name: "main", image: "main:1" }], ...more },
});

/** Makes a job. */
export async function make({ client, at }: Stage, spec: Spec = {}, name = "work"): Promise<void> {
  await client.of(Job).create({ metadata: at(name), spec: { template: template(), ...spec } });
}

/** Changes the job `work`. */
export async function change({ client, at }: Stage, spec: object): Promise<void> {
  await client.of(Job).patch(at("work"), { merge: { spec } });
}

/** Waits for a condition. */
export async function untilSaid(
  { client, at }: Stage,
  type: string,
  status = "True",
  name = "work",
): Promise<void> {
  await until(`the job says ${type}=${status}`, async () => {
    const job = await client.of(Job).get(at(name));
    return findCondition(job.status?.conditions, type)?.status === status;
  });
}

/** Waits for a status. */
export async function untilStatus(
  { client, at }: Stage,
  isSo: (status: NonNullable<Job["status"]>) => boolean,
): Promise<void> {
  await until("the status is so", async () => isSo((await client.of(Job).get(at("work"))).status ?? {}));
}

/** A job with indexes. */
export const indexed = (completions: number, more: Spec = {}): Spec => ({
  completionMode: "Indexed",
  completions,
  parallelism: completions,
  ...more,
});
/** A rule for exit codes. */
export const onCode = (action: string, ...values: number[]) => ({
  action,
  onExitCodes: { operator: "In", values },
});
/** A rule for disruptions. */
export const onDisruption = (action: string) => ({
  action,
  onPodConditions: [{ type: "DisruptionTarget", status: "True" }],
});
/** A policy for failed pods. */
export const policy = (...rules: NonNullable<Spec["podFailurePolicy"]>["rules"]): Spec => ({
  podFailurePolicy: { rules },
});

/** Ends the pods that run, in their order, with these codes. */
export async function endAll(stage: Stage, ...exitCodes: readonly number[]): Promise<void> {
  const pods = await stage.untilRunning(exitCodes.length);
  for (const [i, exitCode] of exitCodes.entries()) await stage.end(pods[i], exitCode);
}

/** Waits until the job `work` is gone. */
export async function untilWorkIsGone({ client, at }: Stage): Promise<void> {
  await untilGone("the job", () => client.of(Job).get(at("work")));
}
