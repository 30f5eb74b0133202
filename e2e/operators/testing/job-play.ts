import { findCondition } from "@kedge/machinery";
import { Job } from "@kedge/machinery/kinds/batch/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { TestEnv } from "@kedge/testkit";

/** The job that is played with. */
export const key = { namespace: "default", name: "work" };

/** Makes it. */
export async function makeJob(env: TestEnv, spec: Partial<Job["spec"]> = {}): Promise<void> {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } };
  await env.create(Job, { metadata: key, spec: { template, ...spec } });
}

/** Its pods, by name. */
export async function podsOf(env: TestEnv): Promise<readonly Pod[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: key.namespace }).all());
  return items.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
}

/** Ends all pods that run so. */
export async function endRunning(env: TestEnv, exitCode: number): Promise<void> {
  await env.eventually(Job, key, ({ status }) => (status?.ready ?? 0) > 0);
  for (const pod of await podsOf(env)) {
    if (pod.status?.phase === "Running") env.node.crash(pod.metadata, { exitCode });
  }
}

/** Whether a condition holds. */
export const has = (type: string) => (job: Job) =>
  findCondition(job.status?.conditions, type)?.status === "True";
