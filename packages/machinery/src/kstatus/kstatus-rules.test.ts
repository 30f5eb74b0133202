import { describe, expect, test } from "vitest";
import { kstatusOf } from "./kstatus.ts";
import { checkKstatus, clock, condition } from "../testing/check-kstatus.ts";

// The cases are those of sigs.k8s.io/cli-utils v0.37.2 and more; their outcomes were compared with that library.
describe("Pod", () => {
  const unschedulable = {
    phase: "Pending",
    conditions: [condition("PodScheduled", "False", "Unschedulable")],
  };
  const crashing = { name: "nginx", state: { waiting: { reason: "CrashLoopBackOff" } } };
  checkKstatus(["v1", "Pod"], {}, [
    ["no status", {}, "InProgress", "PodNotObserved", "Pod phase not available"],
    [
      "running and ready",
      { status: { phase: "Running", conditions: [condition("Ready", "True")] } },
      "Current",
      "",
      "Pod is Ready",
    ],
    [
      "running, not ready",
      { status: { phase: "Running", conditions: [condition("Ready", "False")] } },
      "InProgress",
      "PodRunningNotReady",
      "Pod is running but is not Ready",
    ],
    [
      "crash-looping",
      {
        status: {
          phase: "Running",
          containerStatuses: [crashing, { name: "ok", state: {} }, { ...crashing, name: "b" }],
        },
      },
      "Failed",
      "ContainerCrashLooping",
      "Containers in CrashLoop state: nginx,b",
    ],
    ["succeeded", { status: { phase: "Succeeded" } }, "Current", "", "Pod has completed successfully"],
    ["failed", { status: { phase: "Failed" } }, "Current", "", "Pod has completed, but not successfully"],
    ["pending", { status: { phase: "Pending" } }, "InProgress", "PodPending", "Pod is in the Pending phase"],
    [
      "unschedulable for 14 seconds",
      { metadata: { creationTimestamp: "2026-01-01T00:00:46Z" }, status: unschedulable },
      "InProgress",
      "PodNotScheduled",
      "Pod has not been scheduled",
    ],
    [
      "unschedulable for 15 seconds",
      { metadata: { creationTimestamp: "2026-01-01T00:00:45Z" }, status: unschedulable },
      "Failed",
      "PodUnschedulable",
      "Pod could not be scheduled",
    ],
    [
      "unschedulable for ever",
      { status: unschedulable },
      "Failed",
      "PodUnschedulable",
      "Pod could not be scheduled",
    ],
    ["in an odd phase", { status: { phase: "Odd" } }, "Unknown", "UnknownPhase", "unknown phase Odd"],
  ]);
});

describe("PersistentVolumeClaim", () => {
  checkKstatus(["v1", "PersistentVolumeClaim"], {}, [
    ["no status", {}, "InProgress", "NotBound", "PVC is not Bound. phase: unknown"],
    [
      "pending",
      { status: { phase: "Pending" } },
      "InProgress",
      "NotBound",
      "PVC is not Bound. phase: Pending",
    ],
    ["bound", { status: { phase: "Bound" } }, "Current", "", "PVC is Bound"],
  ]);
});

describe("Service", () => {
  checkKstatus(["v1", "Service"], {}, [
    ["of no type", {}, "Current", "", "Service is ready"],
    ["NodePort", { spec: { type: "NodePort" } }, "Current", "", "Service is ready"],
    [
      "LoadBalancer",
      { spec: { type: "LoadBalancer", clusterIP: "1.2.3.4" } },
      "Current",
      "",
      "Service is ready",
    ],
    [
      "LoadBalancer without an address",
      { spec: { type: "LoadBalancer" } },
      "InProgress",
      "NoIPAssigned",
      "ClusterIP not set. Service type: LoadBalancer",
    ],
  ]);
});

describe("PodDisruptionBudget", () => {
  checkKstatus(["policy/v1", "PodDisruptionBudget"], {}, [
    [
      "not observed",
      { metadata: { generation: 2 }, status: { observedGeneration: 1 } },
      "InProgress",
      "LatestGenerationNotObserved",
      "PodDisruptionBudget generation is 2, but latest observed generation is 1",
    ],
    [
      "observed",
      { status: { observedGeneration: 1 } },
      "Current",
      "",
      "AllowedDisruptions has been computed.",
    ],
  ]);
});

describe("Job", () => {
  checkKstatus(["batch/v1", "Job"], {}, [
    ["no status", {}, "InProgress", "JobNotStarted", "Job not started"],
    [
      "started, with nothing counted yet",
      { status: { startTime: "2019-06-04T01:17:13Z" } },
      "Current",
      "",
      "Job in progress. success:0, active: 0, failed: 0",
    ],
    [
      "complete",
      { status: { succeeded: 1, active: 0, conditions: [condition("Complete", "True")] } },
      "Current",
      "",
      "Job Completed. succeeded: 1/1",
    ],
    [
      "failed",
      {
        spec: { completions: 4 },
        status: { succeeded: 3, failed: 1, conditions: [condition("Failed", "True")] },
      },
      "Failed",
      "JobFailed",
      "Job Failed. failed: 1/4",
    ],
    [
      "under way",
      {
        spec: { completions: 10, parallelism: 2 },
        status: {
          startTime: "2019-06-04T01:17:13Z",
          succeeded: 3,
          failed: 1,
          active: 2,
          conditions: [condition("Failed", "False"), condition("Complete", "False")],
        },
      },
      "Current",
      "",
      "Job in progress. success:3, active: 2, failed: 1",
    ],
    [
      "complete, counted by its parallelism",
      { spec: { parallelism: 3 }, status: { succeeded: 3, conditions: [condition("Complete", "True")] } },
      "Current",
      "",
      "Job Completed. succeeded: 3/3",
    ],
  ]);
});

describe("what has no status of its own is always ready", () => {
  test.each([
    ["batch/v1", "CronJob"],
    ["v1", "ConfigMap"],
    ["v1", "Secret"],
  ])("%s %s", (apiVersion, kind) => {
    expect(kstatusOf({ apiVersion, kind, metadata: {}, status: {} }, clock)).toEqual({
      status: "Current",
      reason: "",
      message: "Resource is always ready",
    });
  });
});

describe("CustomResourceDefinition", () => {
  const accepted = condition("NamesAccepted", "True", "NoConflicts");
  checkKstatus(["apiextensions.k8s.io/v1", "CustomResourceDefinition"], {}, [
    ["no status", {}, "InProgress", "Installing", "Install in progress"],
    [
      "installing",
      { status: { conditions: [accepted, condition("Established", "False", "Installing")] } },
      "InProgress",
      "Installing",
      "Install in progress",
    ],
    [
      "names not accepted",
      { status: { conditions: [condition("NamesAccepted", "False", "ListKindConflict", "taken")] } },
      "Failed",
      "ListKindConflict",
      "taken",
    ],
    [
      "not established for another reason",
      { status: { conditions: [accepted, condition("Established", "False", "Odd", "why")] } },
      "Failed",
      "Odd",
      "why",
    ],
    [
      "established",
      { status: { conditions: [accepted, condition("Established", "True", "InitialNamesAccepted")] } },
      "Current",
      "",
      "CRD is established",
    ],
  ]);
});
