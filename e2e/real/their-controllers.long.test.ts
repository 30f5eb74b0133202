import { realClock } from "@kedge/machinery";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../testing/needs.ts";
import { autoscalerScenarios } from "./scenarios/autoscalers.ts";
import { cronJobScenarios } from "./scenarios/cron-jobs.ts";
import { daemonSetScenarios } from "./scenarios/daemon-sets.ts";
import { deploymentScenarios } from "./scenarios/deployments.ts";
import { jobPolicyScenarios } from "./scenarios/job-policies.ts";
import { jobScenarios } from "./scenarios/jobs.ts";
import { lifecycleScenarios } from "./scenarios/lifecycles.ts";
import { replicationControllerScenarios } from "./scenarios/replication-controllers.ts";
import { statefulSetScenarios } from "./scenarios/stateful-sets.ts";
import { startBothServers, type BothServers } from "./testing/both-sides.ts";
import { complaintsIn } from "./testing/complaints.ts";
import { whyNoScheduler } from "./testing/our-server.ts";
import {
  workloadFlags,
  workloadStages,
  type Scenario,
  type WorkloadStages,
} from "./testing/workload-stages.ts";

/** The real controller-manager and scheduler on our API server, for as long as a coffee break. */
const patience = 10 * 60_000;

const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  "a job": jobScenarios,
  "a job with policies": jobPolicyScenarios,
  "a cron job": cronJobScenarios,
  "a daemon set": daemonSetScenarios,
  "a replication controller": replicationControllerScenarios,
  "a deployment": deploymentScenarios,
  "a stateful set": statefulSetScenarios,
  "an autoscaler": autoscalerScenarios,
  "what ends": lifecycleScenarios,
};

describe("the real controller-manager and scheduler on our API server", needs(whyNoScheduler()), () => {
  let both: BothServers;
  let stages: WorkloadStages;
  let since: number;
  beforeAll(async () => {
    since = realClock.monotonic();
    both = await startBothServers({ flags: workloadFlags });
    stages = await workloadStages(both, ["node-1", "node-2"]);
  });
  afterAll(async () => {
    await (stages ?? both)?.stop();
  });

  for (const [what, list] of Object.entries(scenarios)) {
    describe.concurrent(`${what} leaves the same on the real API server and on ours, with the real controllers:`, () => {
      it.each(list)("%s", async (_name, act) => {
        const { differences } = await stages.differencesAfter(act);
        expect(differences).toBe("");
      });
    });
  }

  it(
    "goes on for ten minutes under the same leaders, who are told of nothing that they lack",
    async () => {
      const isOver = (): boolean => realClock.monotonic() - since > patience;
      for (let round = 0; !isOver(); round++) {
        const [, act] = lifecycleScenarios[round % lifecycleScenarios.length] ?? [
          "",
          () => Promise.resolve(),
        ];
        const { differences } = await stages.differencesAfter(act);
        expect(differences).toBe("");
      }
      for (const name of ["kube-controller-manager", "kube-scheduler"] as const) {
        const lease = await both.ours.admin.of(Lease).get({ namespace: "kube-system", name });
        expect(lease.spec?.leaseTransitions ?? 0).toBe(0);
        expect(complaintsIn(await both.ours.logOf(name))).toEqual([]);
      }
    },
    2 * patience,
  );
});
