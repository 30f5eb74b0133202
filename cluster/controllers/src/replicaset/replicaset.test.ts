import { describe, expect, it } from "vitest";
import { ago, now, pod, replicaSet } from "../testing/builders.ts";
import { planReplicaSet } from "./plan.ts";
import { reportReplicaSet } from "./status.ts";

describe("the plan of a replica set", () => {
  const plan = (size: number, pods: readonly ReturnType<typeof pod>[]) => {
    const { create, delete: gone } = planReplicaSet({
      replicaSet: replicaSet("web", size),
      pods,
      related: pods,
      now,
    });
    return { create, delete: gone.map(({ metadata }) => metadata.name) };
  };

  it("makes what is missing", () => {
    expect(plan(3, [pod("a")])).toEqual({ create: 2, delete: [] });
  });
  it("does nothing when the number is right", () => {
    expect(plan(1, [pod("a")])).toEqual({ create: 0, delete: [] });
  });
  it("replaces pods that ended or are on their way out", () => {
    expect(plan(2, [pod("a", { phase: "Failed" }), pod("b", { terminating: true }), pod("c")])).toEqual({
      create: 1,
      delete: [],
    });
  });
  it("deletes what is too much, the least missed first", () => {
    expect(plan(1, [pod("a", { readyFor: 9 }), pod("b"), pod("c", { node: "" })])).toEqual({
      create: 0,
      delete: ["c", "b"],
    });
  });
  it("makes at most 500 at once", () => {
    expect(plan(1200, [])).toEqual({ create: 500, delete: [] });
  });
  it("does nothing while the replica set is being deleted", () => {
    const set = replicaSet("web", 3);
    const going = { ...set, metadata: { ...set.metadata, deletionTimestamp: ago(0) } };
    expect(planReplicaSet({ replicaSet: going, pods: [], related: [], now })).toEqual({
      create: 0,
      delete: [],
    });
  });
});

describe("the status of a replica set", () => {
  const labels = { app: "web" };
  it("counts pods by what is known of them", () => {
    const set = replicaSet("web", 3);
    const pods = [
      pod("a", { readyFor: 60, labels }),
      pod("b", { readyFor: 4, labels: { app: "web", more: "yes" } }),
      pod("c", { labels: { other: "yes" } }),
      pod("d", { terminating: true }),
      pod("e", { terminating: true, phase: "Succeeded" }),
      pod("f", { phase: "Failed" }),
    ];
    const waiting = { ...set, spec: { ...set.spec, minReadySeconds: 10 } };
    expect(reportReplicaSet(waiting, pods, { now })).toEqual({
      status: {
        replicas: 3,
        fullyLabeledReplicas: 2,
        readyReplicas: 2,
        availableReplicas: 1,
        terminatingReplicas: 1,
        observedGeneration: 1,
      },
      lookAgainAfter: 6000,
    });
  });

  const told = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "first" };
  it.each([
    ["that pods could not be made", 1, "FailedCreate"],
    ["that pods could not be deleted", 0, "FailedDelete"],
  ])("says %s, and why", (_name, size, reason) => {
    const { status } = reportReplicaSet(replicaSet("web", size), [], { failure: new Error("no quota"), now });
    expect(status.conditions).toEqual([
      {
        type: "ReplicaFailure",
        status: "True",
        reason,
        message: "no quota",
        lastTransitionTime: ago(0),
      },
    ]);
  });
  it("keeps the first failure until there is none", () => {
    const set = replicaSet("web", 1, { conditions: [told] });
    expect(reportReplicaSet(set, [], { failure: new Error("second"), now }).status.conditions).toEqual([
      told,
    ]);
    expect(reportReplicaSet(set, [pod("a")], { now }).status).not.toHaveProperty("conditions");
  });
});
