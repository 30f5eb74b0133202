import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { autoscalerScenarios } from "./scenarios/autoscalers.ts";
import { cronJobScenarios } from "./scenarios/cron-jobs.ts";
import { daemonSetScenarios } from "./scenarios/daemon-sets.ts";
import { deploymentScenarios } from "./scenarios/deployments.ts";
import { jobPolicyScenarios } from "./scenarios/job-policies.ts";
import { jobScenarios } from "./scenarios/jobs.ts";
import { replicationControllerScenarios } from "./scenarios/replication-controllers.ts";
import { statefulSetScenarios } from "./scenarios/stateful-sets.ts";
import { startWorkloadStages, type Scenario, type WorkloadStages } from "./testing/workload-stages.ts";

/** The same is done on two real API servers, one with the real controllers and one with ours. */
let both: WorkloadStages;
beforeAll(async () => {
  both = await startWorkloadStages(["node-1", "node-2"]);
});
afterAll(() => both?.stop());

const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  "a job": jobScenarios,
  "a job with policies": jobPolicyScenarios,
  "a cron job": cronJobScenarios,
  "a daemon set": daemonSetScenarios,
  "a replication controller": replicationControllerScenarios,
  "a deployment": deploymentScenarios,
  "a stateful set": statefulSetScenarios,
  "an autoscaler": autoscalerScenarios,
};

// All at once: most of the time they wait.
for (const [what, list] of Object.entries(scenarios)) {
  describe.concurrent(`${what} leaves the same children, statuses and events with the real controllers and ours:`, () => {
    it.each(list)("%s", async (_name, act) => {
      const { differences } = await both.differencesAfter(act);
      expect(differences).toBe("");
    });
  });
}
