import type { DeepReadonly } from "@kedge/machinery";
import type { StatefulSetStatus } from "@kedge/machinery/kinds/apps/v1";
import type { Event, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import type { RedisInstance, RedisPhase } from "../kind.ts";
import { instanceOf, observedOf, podOf, rolledOut, statefulSetFor } from "../testing/builders.ts";
import { serversOf } from "../testing/servers.ts";
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
  readonly spec?: object;
}

function facts({ set, setGeneration, before, metadata, spec, ...rest }: Case): PhaseFacts {
  const status: RedisInstance["status"] =
    before === undefined ? undefined : { status: before[0], observedGeneration: before[1] };
  const instance = instanceOf(
    { replicas: 3, ...spec },
    { metadata: { generation: 2, ...metadata }, ...(status !== undefined && { status }) },
  );
  const made =
    instance.spec.hibernate === true ? { ...instance, spec: { ...instance.spec, replicas: 0 } } : instance;
  const pods = set?.updateRevision === "r2" ? [podOf("cache-0", {})] : [];
  const there = set === undefined ? {} : { statefulSet: statefulSetFor(made, set, setGeneration), pods };
  return { observed: observedOf(instance, there), refusals: [], failure: undefined, ...rest };
}

const rolling = { ...rolledOut(3), updatedReplicas: 1, updateRevision: "r2", readyReplicas: 2 };

function claimOf(name: string): DeepReadonly<PersistentVolumeClaim> {
  const { metadata } = podOf(name, {});
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: {} };
}

describe("the phase", () => {
  it.each<[string, RedisPhase, string, Case]>([
    ["nothing has been made yet", "Creating", "ChildrenMissing", {}],
    ["nobody has looked at the children yet", "Creating", "ChildrenCreated", { set: { replicas: 0 } }],
    [
      "no pod is ready",
      "Pending",
      "NoPodReady",
      { set: { ...rolledOut(3), readyReplicas: 0 }, before: ["Creating", 2] },
    ],
    [
      "some pods are ready",
      "Pending",
      "SomePodsNotReady",
      { set: { ...rolledOut(3), readyReplicas: 2 }, before: ["Pending", 2] },
    ],
    ["all pods are ready", "Running", "AllPodsReady", { set: rolledOut(3), before: ["Pending", 2] }],
    [
      "a pod failed by itself",
      "Pending",
      "SomePodsNotReady",
      { set: { ...rolledOut(3), readyReplicas: 2 }, before: ["Running", 2] },
    ],
    [
      "a pod is lost",
      "Pending",
      "SomePodsNotReady",
      { set: { ...rolledOut(3), readyReplicas: 2, updatedReplicas: 2 }, before: ["Running", 2] },
    ],
    ["pods are being replaced", "Updating", "RollingUpdate", { set: rolling, before: ["Running", 2] }],
    [
      "the spec has changed and pods are not all there",
      "Updating",
      "SpecChanged",
      { set: { ...rolledOut(3), replicas: 1, readyReplicas: 1 }, before: ["Running", 1] },
    ],
    [
      "the StatefulSet has changed and nobody has looked yet",
      "Updating",
      "SpecChanged",
      { set: rolledOut(3), setGeneration: 2, before: ["Running", 1] },
    ],
    [
      "an update goes on",
      "Updating",
      "SpecChanged",
      { set: { ...rolledOut(3), readyReplicas: 2 }, before: ["Updating", 2] },
    ],
    ["an update is done", "Running", "AllPodsReady", { set: rolledOut(3), before: ["Updating", 2] }],
    [
      "it is going to sleep",
      "Updating",
      "Hibernating",
      { set: rolledOut(3), before: ["Running", 1], spec: { hibernate: true } },
    ],
    [
      "it sleeps",
      "Hibernated",
      "Hibernated",
      { set: rolledOut(0), before: ["Updating", 2], spec: { hibernate: true } },
    ],
    [
      "it wakes up",
      "Updating",
      "SpecChanged",
      { set: { ...rolledOut(3), readyReplicas: 1 }, before: ["Hibernated", 1] },
    ],
    ["a new one is suspended", "Pending", "Suspended", { spec: { suspend: true } }],
    ["a running one is suspended", "Running", "AllPodsReady", { set: rolledOut(3), spec: { suspend: true } }],
    ["the StatefulSet went missing", "Failed", "ChildMissing", { before: ["Running", 2] }],
    ["a new instance is refused", "Failed", "SpecRefused", { refusals }],
    ["a change of a running one is refused", "Running", "AllPodsReady", { set: rolledOut(3), refusals }],
    ["a child is refused", "Failed", "Forbidden", { set: rolledOut(3), failure }],
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

  it.each([
    [
      "claims are there",
      { claims: [claimOf("redis-data-cache-0")] },
      "Waiting for claim redis-data-cache-0.",
    ],
    ["nothing is there", {}, "Its volumes are gone."],
    [
      "the name is another's",
      { isNameTaken: true, claims: [claimOf("redis-data-cache-0")] },
      "are left alone.",
    ],
  ])("says whom a deletion waits for: %s", (_when, there, expected) => {
    const instance = instanceOf({ deletionPolicy: "Delete" }, { metadata: deleting });
    const { message } = phaseOf({ observed: observedOf(instance, there), refusals: [], failure: undefined });
    expect(message).toContain(expected);
  });

  const waiting = facts({ set: { ...rolledOut(3), readyReplicas: 1 }, before: ["Pending", 2] });
  const reportFor = (there: Partial<PhaseFacts["observed"]>) =>
    phaseOf({ ...waiting, observed: { ...waiting.observed, ...there } });

  it("says who holds it up", () => {
    const message = "0/1 nodes are available: 1 Insufficient memory.";
    const pod = podOf("cache-1", {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
    });
    expect(reportFor({ pods: [pod] })).toMatchObject({
      phase: "Pending",
      reason: "Unschedulable",
      message: `1 of 3 pods are ready: pod cache-1 is on no node: ${message}`,
    });
  });

  it("is Failed while the primary is held, whatever else is the matter", () => {
    const servers = serversOf(
      { role: "replica", follows: "nobody", isRestarted: true, data: "none", epoch: 0, keys: 0 },
      { fails: "REFUSED" },
    );
    const replication = { epoch: 1, primary: "cache-0", served: 1 };
    const report = reportFor({ servers, replication });
    expect(report).toMatchObject({ phase: "Failed", reason: "PrimaryHeld", ready: false });
    expect(report.message).toContain("cache-1 does not answer");
  });

  it("says what a server said before it ended", () => {
    const ended = {
      exitCode: 1,
      reason: "Error",
      message: "1:M 16 Nov 2026 09:58:40.716 # Can't handle RDB format version 12\n",
    };
    const pod = podOf("cache-2", {
      containerStatuses: [
        {
          name: "redis",
          image: "",
          imageID: "",
          ready: false,
          restartCount: 3,
          state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } },
          lastState: { terminated: ended },
        },
      ],
    });
    expect(reportFor({ pods: [pod] })).toMatchObject({
      reason: "CrashLoopBackOff",
      message:
        "1 of 3 pods are ready: pod cache-2 has a container redis that ended with exit code 1 (Error): Can't handle RDB format version 12",
    });
  });

  describe("when pods cannot even be made", () => {
    const failed = (of: string, lastTimestamp: string): DeepReadonly<Event> => ({
      apiVersion: "v1",
      kind: "Event",
      metadata: { ...podOf(`cache.${lastTimestamp}`, {}).metadata },
      involvedObject: { kind: "StatefulSet", name: "cache", uid: of },
      lastTimestamp,
      message: `create Pod cache-0 in StatefulSet cache failed error: at ${lastTimestamp}`,
    });
    // Pods of the builders are made at midnight.
    const before = "2026-11-15T23:00:00Z";
    const after = "2026-11-16T01:00:00Z";

    it("says why, as it was last", () => {
      const failedCreations = [failed("set-uid", before), failed("set-uid", after)];
      const report = reportFor({ failedCreations });
      expect(report).toMatchObject({ reason: "FailedCreate", trouble: { isWarning: true } });
      expect(report.message).toContain(`error: at ${after}`);
    });

    it.each([
      ["one was made since", [podOf("cache-0", {})], failed("set-uid", before)],
      ["it was another StatefulSet", [], failed("earlier-uid", after)],
      [
        "none is missing",
        ["cache-0", "cache-1", "cache-2"].map((name) => podOf(name, {})),
        failed("set-uid", after),
      ],
    ])("but not when %s", (_when, pods, event) => {
      expect(reportFor({ pods, failedCreations: [event] }).reason).toBe("SomePodsNotReady");
    });
  });
});
