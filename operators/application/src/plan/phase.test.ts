import type { DeploymentStatus } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import type { ApplicationPhase } from "../kind.ts";
import { applicationOf, deploymentFor, observedOf, ownedMeta, rolledOut } from "../testing/builders.ts";
import { transitionsOf } from "../transitions.ts";
import { phaseOf, type PhaseFacts } from "./phase.ts";

interface Case {
  readonly status?: DeploymentStatus;
  readonly generation?: number;
  readonly before?: ApplicationPhase;
  readonly refusals?: PhaseFacts["refusals"];
  readonly failure?: PhaseFacts["failure"];
  readonly metadata?: object;
}

function facts({ status, generation = 1, before, metadata, ...rest }: Case): PhaseFacts {
  const application = applicationOf(
    { replicas: 3 },
    { ...(before !== undefined && { status: { phase: before } }), metadata: { ...metadata } },
  );
  const deployment = status === undefined ? undefined : deploymentFor(application, { status, generation });
  return { observed: observedOf(application, { deployment }), refusals: [], failure: undefined, ...rest };
}

const refusals = [{ field: "spec.x", message: "cannot be" }];
const failure = { reason: "Forbidden", message: "quota" };
const rolling = { ...rolledOut(3), updatedReplicas: 1 };
const starting = { ...rolledOut(3), readyReplicas: 2, availableReplicas: 2 };
const none = { ...rolledOut(3), readyReplicas: 0, availableReplicas: 0 };
const stuck = {
  ...starting,
  conditions: [
    { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "too slow" },
  ],
};

describe("the phase", () => {
  it.each<[string, ApplicationPhase, string, Case]>([
    ["nothing has been made yet", "Creating", "ChildrenMissing", {}],
    ["the first pods start", "Creating", "PodsStarting", { status: { replicas: 0 }, before: "Creating" }],
    ["all pods are available", "Running", "AllPodsAvailable", { status: rolledOut(3), before: "Creating" }],
    ["the template has changed", "Updating", "RollingUpdate", { status: rolling, before: "Running" }],
    [
      "nobody has looked at the change yet",
      "Updating",
      "SpecChanged",
      { status: rolledOut(3), generation: 2, before: "Running" },
    ],
    ["the new pods start", "Updating", "PodsStarting", { status: starting, before: "Updating" }],
    [
      "nobody has looked at the new number yet",
      "Scaling",
      "ReplicasChanging",
      { status: rolledOut(2), generation: 2, before: "Running" },
    ],
    ["there are too few pods", "Scaling", "ReplicasChanging", { status: rolledOut(2), before: "Running" }],
    ["there are too many pods", "Scaling", "ReplicasChanging", { status: rolledOut(5), before: "Running" }],
    ["more pods start", "Scaling", "PodsStarting", { status: starting, before: "Scaling" }],
    ["scaling is done", "Running", "AllPodsAvailable", { status: rolledOut(3), before: "Scaling" }],
    ["a pod failed by itself", "Running", "SomePodsNotAvailable", { status: starting, before: "Running" }],
    ["no pod is left", "Creating", "NoPodAvailable", { status: none, before: "Running" }],
    ["what failed is over and no pod runs", "Creating", "PodsStarting", { status: none, before: "Failed" }],
    [
      "what failed is over and some pods run",
      "Creating",
      "PodsStarting",
      { status: starting, before: "Failed" },
    ],
    ["the Deployment gave up", "Failed", "DeploymentStuck", { status: stuck, before: "Updating" }],
    ["what failed works again", "Running", "AllPodsAvailable", { status: rolledOut(3), before: "Failed" }],
    ["a child is refused", "Failed", "Forbidden", { status: rolledOut(3), failure }],
    ["a new application is refused", "Failed", "SpecRefused", { refusals }],
    [
      "a change of a running one is refused",
      "Running",
      "AllPodsAvailable",
      { status: rolledOut(3), refusals },
    ],
    [
      "it is being deleted",
      "Running",
      "Deleting",
      { status: rolledOut(3), before: "Running", metadata: { deletionTimestamp: "2026-11-16T01:00:00Z" } },
    ],
  ])("when %s is %s", (_when, phase, reason, at) => {
    expect(phaseOf(facts(at))).toMatchObject({ phase, reason, ready: reason === "AllPodsAvailable" });
  });

  it("says who holds it up, as a warning where somebody should look", () => {
    const { observed, ...rest } = facts({ status: starting, before: "Running" });
    const metadata = ownedMeta("web-1", observed.application);
    const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] } };
    const evicted = { ...pod, status: { phase: "Failed", reason: "Evicted" } };
    const report = phaseOf({ observed: { ...observed, pods: [evicted] }, ...rest });
    const message = "pod web-1 has failed: Evicted";
    expect(report).toMatchObject({
      phase: "Running",
      reason: "Evicted",
      message: `2 of 3 pods are ready: ${message}`,
    });
    expect(transitionsOf({ observed, ...rest }, report)).toEqual([
      { type: "Warning", reason: "Evicted", message },
    ]);
  });
});
