import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../testing/needs.ts";
import { cronJobScenarios } from "./scenarios/cron-jobs.ts";
import { daemonSetScenarios } from "./scenarios/daemon-sets.ts";
import { deploymentScenarios } from "./scenarios/deployments.ts";
import { jobScenarios } from "./scenarios/jobs.ts";
import { lifecycleScenarios } from "./scenarios/lifecycles.ts";
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

/** A few of each: all of them are played by the long test. */
const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  "a job": jobScenarios.slice(0, 2),
  "a cron job": cronJobScenarios.slice(0, 1),
  "a daemon set": daemonSetScenarios.slice(0, 2),
  "a deployment": deploymentScenarios.slice(0, 2),
  "a stateful set": statefulSetScenarios.slice(0, 2),
  "what ends": lifecycleScenarios,
};

// The same is done on the real API server and on ours, each with the real programs.
describe("the real controller-manager and scheduler on our API server", needs(whyNoScheduler()), () => {
  let both: BothServers;
  let stages: WorkloadStages;
  beforeAll(async () => {
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

  it("has elected both, once, and is told of nothing that it lacks", async () => {
    for (const name of ["kube-controller-manager", "kube-scheduler"] as const) {
      const lease = await both.ours.admin.of(Lease).get({ namespace: "kube-system", name });
      expect(lease.spec?.leaseTransitions ?? 0).toBe(0);
      expect(complaintsIn(await both.ours.logOf(name))).toEqual([]);
    }
  });
});
