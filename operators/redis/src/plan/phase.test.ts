import type { StatefulSetStatus } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import type { RedisInstance, RedisPhase } from "../kind.ts";
import { instanceOf, observedOf, podOf, settled, statefulSetFor } from "../testing/builders.ts";
import { phaseOf, type PhaseFacts } from "./phase.ts";

const refusals = [{ field: "spec.x", message: "cannot be" }];
const failure = { reason: "Forbidden", message: "quota" };
const deleting = { deletionTimestamp: "2026-11-16T01:00:00Z" };

interface Case {
  readonly set?: StatefulSetStatus;
  readonly setGeneration?: number;
  /** The phase of the last report, and the generation that it was about; the newest is 2. */
  readonly before?: [RedisPhase, number];
  readonly refusals?: PhaseFacts["refusals"];
  readonly failure?: PhaseFacts["failure"];
  readonly metadata?: object;
}

function facts({ set, setGeneration, before, metadata, ...rest }: Case): PhaseFacts {
  const status: RedisInstance["status"] =
    before === undefined ? undefined : { status: before[0], observedGeneration: before[1] };
  const instance = instanceOf(
    { replicas: 3 },
    { metadata: { generation: 2, ...metadata }, ...(status !== undefined && { status }) },
  );
  const there = set === undefined ? {} : { statefulSet: statefulSetFor(instance, set, setGeneration) };
  return { observed: observedOf(instance, there), refusals: [], failure: undefined, ...rest };
}

const rolling = { ...settled(3), updatedReplicas: 1, updateRevision: "r2", readyReplicas: 2 };

describe("the phase", () => {
  it.each<[string, RedisPhase, string, Case]>([
    ["nothing has been made yet", "Creating", "ChildrenMissing", {}],
    ["nobody has looked at the children yet", "Creating", "ChildrenCreated", { set: { replicas: 0 } }],
    [
      "no pod is ready",
      "Pending",
      "NoPodReady",
      { set: { ...settled(3), readyReplicas: 0 }, before: ["Creating", 2] },
    ],
    [
      "some pods are ready",
      "Pending",
      "SomePodsNotReady",
      { set: { ...settled(3), readyReplicas: 2 }, before: ["Pending", 2] },
    ],
    ["all pods are ready", "Running", "AllPodsReady", { set: settled(3), before: ["Pending", 2] }],
    [
      "a pod failed by itself",
      "Pending",
      "SomePodsNotReady",
      { set: { ...settled(3), readyReplicas: 2 }, before: ["Running", 2] },
    ],
    ["pods are being replaced", "Updating", "RollingUpdate", { set: rolling, before: ["Running", 2] }],
    [
      "the spec has changed and pods are not all there",
      "Updating",
      "SpecChanged",
      { set: { ...settled(3), replicas: 1, readyReplicas: 1 }, before: ["Running", 1] },
    ],
    [
      "the StatefulSet has changed and nobody has looked yet",
      "Updating",
      "SpecChanged",
      { set: settled(3), setGeneration: 2, before: ["Running", 1] },
    ],
    [
      "an update goes on",
      "Updating",
      "SpecChanged",
      { set: { ...settled(3), readyReplicas: 2 }, before: ["Updating", 2] },
    ],
    ["an update is done", "Running", "AllPodsReady", { set: settled(3), before: ["Updating", 2] }],
    ["the StatefulSet went missing", "Failed", "ChildMissing", { before: ["Running", 2] }],
    ["a new instance is refused", "Failed", "SpecRefused", { refusals }],
    ["a change of a running one is refused", "Running", "AllPodsReady", { set: settled(3), refusals }],
    ["a child is refused", "Failed", "Forbidden", { set: settled(3), failure }],
    ["Failed comes before Updating", "Failed", "Forbidden", { set: rolling, failure }],
    ["Updating comes before Pending", "Updating", "RollingUpdate", { set: { ...rolling, readyReplicas: 0 } }],
    [
      "Terminated comes before Failed",
      "Terminated",
      "Deleting",
      { set: rolling, failure, metadata: deleting },
    ],
  ])("when %s is %s", (_when, phase, reason, at) => {
    expect(phaseOf(facts(at))).toMatchObject({ phase, reason, ready: phase === "Running" });
  });

  it("says who holds it up", () => {
    const { observed, ...rest } = facts({ set: { ...settled(3), readyReplicas: 1 }, before: ["Pending", 2] });
    const message = "0/1 nodes are available: 1 Insufficient memory.";
    const pod = podOf("cache-1", {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
    });
    expect(phaseOf({ observed: { ...observed, pods: [pod] }, ...rest }).message).toBe(
      `1 of 3 pods are ready: pod cache-1 is on no node: ${message}`,
    );
  });
});
