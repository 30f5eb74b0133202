import { describe, expect, test } from "vitest";
import { kstatusOf } from "./kstatus.ts";
import { checkKstatus, clock } from "../testing/check-kstatus.ts";

// The cases are those of sigs.k8s.io/cli-utils v0.37.2 and more; their outcomes were compared with that library.
test.each([
  ["StatefulSet", "LessReplicas", "Replicas: 0/1"],
  ["DaemonSet", "NoObservedGeneration", "DaemonSet status.observedGeneration not found"],
  ["Deployment", "LessReplicas", "Replicas: 0/1"],
  ["ReplicaSet", "LessLabelled", "Labelled: 0/1"],
])("a %s that its controller has not seen is in progress", (kind, reason, message) => {
  const object = { apiVersion: "apps/v1", kind, metadata: { generation: 1 } };
  expect(kstatusOf(object, clock)).toEqual({ status: "InProgress", reason, message });
});

describe("StatefulSet", () => {
  const healthy = {
    spec: { replicas: 4 },
    status: { observedGeneration: 1, currentReplicas: 4, readyReplicas: 4, replicas: 4 },
  };
  const partition = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } };
  checkKstatus(["apps/v1", "StatefulSet"], healthy, [
    ["all there", {}, "Current", "", "All replicas scheduled as expected. Replicas: 4"],
    ["too few", { status: { replicas: 1 } }, "InProgress", "LessReplicas", "Replicas: 1/4"],
    ["too few ready", { status: { readyReplicas: 2 } }, "InProgress", "LessReady", "Ready: 2/4"],
    ["too few current", { status: { currentReplicas: 2 } }, "InProgress", "LessCurrent", "current: 2/4"],
    ["too many", { status: { replicas: 8 } }, "InProgress", "ExtraPods", "Pending termination: 4"],
    [
      "not all of the new revision",
      { status: { currentRevision: "a", updateRevision: "b" } },
      "InProgress",
      "RevisionMismatch",
      "Waiting for updated revision to match current",
    ],
    [
      "updated by hand",
      { spec: { updateStrategy: { type: "OnDelete" } }, status: { replicas: 0 } },
      "Current",
      "",
      "StatefulSet is using the ondelete update strategy",
    ],
    [
      "a partition under way",
      { spec: partition, status: { updatedReplicas: 2 } },
      "InProgress",
      "PartitionRollout",
      "updated: 2/3",
    ],
    [
      "a partition done, with the rest on the old revision",
      {
        spec: partition,
        status: { updatedReplicas: 3, currentReplicas: 1, currentRevision: "a", updateRevision: "b" },
      },
      "Current",
      "",
      "Partition rollout complete. updated: 3",
    ],
  ]);
});

describe("DaemonSet", () => {
  const healthy = {
    spec: {},
    status: {
      observedGeneration: 1,
      desiredNumberScheduled: 4,
      currentNumberScheduled: 4,
      updatedNumberScheduled: 4,
      numberAvailable: 4,
      numberReady: 4,
    },
  };
  checkKstatus(["apps/v1", "DaemonSet"], healthy, [
    ["all there", {}, "Current", "", "All replicas scheduled as expected. Replicas: 4"],
    [
      "another generation observed",
      { metadata: { generation: 2 } },
      "InProgress",
      "LatestGenerationNotObserved",
      "DaemonSet generation is 2, but latest observed generation is 1",
    ],
    [
      "no generation",
      { metadata: { generation: undefined } },
      "InProgress",
      "NoGeneration",
      "DaemonSet metadata.generation not found",
    ],
    [
      "no wish known",
      { status: { desiredNumberScheduled: undefined } },
      "InProgress",
      "NoDesiredNumber",
      "Missing .status.desiredNumberScheduled",
    ],
    [
      "too few current",
      { status: { currentNumberScheduled: 3 } },
      "InProgress",
      "LessCurrent",
      "Current: 3/4",
    ],
    [
      "too few updated",
      { status: { updatedNumberScheduled: 3 } },
      "InProgress",
      "LessUpdated",
      "Updated: 3/4",
    ],
    [
      "too few available",
      { status: { numberAvailable: 2 } },
      "InProgress",
      "LessAvailable",
      "Available: 2/4",
    ],
    ["too few ready", { status: { numberReady: 2 } }, "InProgress", "LessReady", "Ready: 2/4"],
  ]);
});

describe("Deployment", () => {
  const progressing = { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" };
  const available = { type: "Available", status: "True" };
  const healthy = {
    spec: { replicas: 4, progressDeadlineSeconds: 45 },
    status: {
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      conditions: [progressing, available],
    },
  };
  checkKstatus(["apps/v1", "Deployment"], healthy, [
    ["all there", {}, "Current", "", "Deployment is available. Replicas: 4"],
    ["too few", { status: { replicas: 3 } }, "InProgress", "LessReplicas", "Replicas: 3/4"],
    ["too few updated", { status: { updatedReplicas: 3 } }, "InProgress", "LessUpdated", "Updated: 3/4"],
    ["too many", { status: { replicas: 6 } }, "InProgress", "ExtraPods", "Pending termination: 2"],
    [
      "too few available",
      { status: { availableReplicas: 1 } },
      "InProgress",
      "LessAvailable",
      "Available: 1/4",
    ],
    ["too few ready", { status: { readyReplicas: 3 } }, "InProgress", "LessReady", "Ready: 3/4"],
    [
      "not progressing",
      { status: { conditions: [{ ...progressing, status: "False", reason: "Some reason" }, available] } },
      "InProgress",
      "ReplicaSetNotAvailable",
      "ReplicaSet not Available",
    ],
    [
      "without a deadline progress is not asked for",
      { spec: { progressDeadlineSeconds: undefined }, status: { conditions: [available] } },
      "Current",
      "",
      "Deployment is available. Replicas: 4",
    ],
    [
      "nor with the controller's word for none",
      { spec: { progressDeadlineSeconds: 2147483647 }, status: { conditions: [available] } },
      "Current",
      "",
      "Deployment is available. Replicas: 4",
    ],
    [
      "not available",
      { status: { conditions: [progressing, { ...available, status: "False" }] } },
      "InProgress",
      "DeploymentNotAvailable",
      "Deployment not Available",
    ],
    [
      "past its deadline, whatever else is the matter",
      {
        status: {
          replicas: 0,
          conditions: [{ ...progressing, status: "False", reason: "ProgressDeadlineExceeded" }],
        },
      },
      "Failed",
      "ProgressDeadlineExceeded",
      "Progress deadline exceeded",
    ],
  ]);
});

describe("ReplicaSet", () => {
  const healthy = {
    spec: { replicas: 4 },
    status: {
      observedGeneration: 1,
      replicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      fullyLabeledReplicas: 4,
    },
  };
  checkKstatus(["apps/v1", "ReplicaSet"], healthy, [
    ["all there", {}, "Current", "", "ReplicaSet is available. Replicas: 4"],
    [
      "no failure",
      { status: { conditions: [{ type: "ReplicaFailure", status: "False" }] } },
      "Current",
      "",
      "ReplicaSet is available. Replicas: 4",
    ],
    [
      "a failure",
      { status: { conditions: [{ type: "ReplicaFailure", status: "True" }] } },
      "InProgress",
      "ReplicaFailure",
      "Replica Failure condition. Check Pods",
    ],
    [
      "too few labelled",
      { status: { fullyLabeledReplicas: 3 } },
      "InProgress",
      "LessLabelled",
      "Labelled: 3/4",
    ],
    [
      "too few available",
      { status: { availableReplicas: 2 } },
      "InProgress",
      "LessAvailable",
      "Available: 2/4",
    ],
    ["too few ready", { status: { readyReplicas: 2 } }, "InProgress", "LessReady", "Ready: 2/4"],
    ["too many", { status: { replicas: 5 } }, "InProgress", "ExtraPods", "Pending termination: 1"],
  ]);
});
