import type { Deployment, DeploymentStatus, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { ago, deployment, now, replicaSet } from "../testing/builders.ts";
import type { Creation } from "./progress.ts";
import { reportDeployment } from "./status.ts";

const sets = (size: number, available = size): readonly ReplicaSet[] => [
  replicaSet("web-new", size, { available }),
];

function report(subject: Deployment, replicaSets: readonly ReplicaSet[], creation?: Creation) {
  return reportDeployment({ deployment: subject, replicaSets, pods: [] }, { creation, now });
}

function progress(status: DeploymentStatus) {
  return status.conditions?.find(({ type }) => type === "Progressing");
}

/** The condition as it was told so many seconds before. */
function told(reason: string, seconds: number, status = "True"): Deployment["status"] & object {
  const time = ago(seconds);
  const condition = { type: "Progressing", status, reason, message: "before" };
  return { conditions: [{ ...condition, lastUpdateTime: time, lastTransitionTime: time }] };
}

describe("a deployment's counts", () => {
  it("sum up all replica sets, and those of the spec's template", () => {
    const replicaSets = [
      replicaSet("web-old", 2, { image: "main:0", available: 1 }),
      replicaSet("web-new", 3, { replicas: 2, available: 1 }),
    ];
    const { status } = report(deployment(3), replicaSets);
    expect(status).toMatchObject({
      replicas: 4,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 3,
      observedGeneration: 1,
    });
    expect(status).not.toHaveProperty("collisionCount");
  });
});

describe("a deployment's availability", () => {
  it.each([
    ["holds while enough pods serve", 2, "True", "MinimumReplicasAvailable"],
    ["does not while too few do", 1, "False", "MinimumReplicasUnavailable"],
  ])("%s", (_name, available, status, reason) => {
    const { conditions } = report(deployment(3), sets(3, available)).status;
    expect(conditions?.find(({ type }) => type === "Available")).toMatchObject({ status, reason });
  });

  it("keeps its times while it stays the same", () => {
    const before = {
      type: "Available",
      status: "True",
      reason: "MinimumReplicasAvailable",
      message: "x",
      lastUpdateTime: ago(50),
      lastTransitionTime: ago(70),
    };
    const { conditions } = report(deployment(1, { status: { conditions: [before] } }), sets(1)).status;
    expect(conditions).toContainEqual(before);
  });
});

describe("a deployment's progress", () => {
  const created: Creation = { name: "web-new" };
  const refused: Creation = { name: "web-new", failure: new Error("no quota") };
  const moving = { updatedReplicas: 1, replicas: 1, readyReplicas: 0, availableReplicas: 0 };
  it.each<[string, Deployment, readonly ReplicaSet[], Creation | undefined, string]>([
    [
      "begins with a new replica set",
      deployment(2),
      sets(2, 0).map(unseen),
      created,
      "True NewReplicaSetCreated",
    ],
    [
      "begins with one that was found",
      deployment(2),
      sets(2, 0).map(unseen),
      undefined,
      "True FoundNewReplicaSet",
    ],
    ["fails when none may be made", deployment(2), [], refused, "False ReplicaSetCreateError"],
    [
      "goes on when there are more new pods than before",
      deployment(2, { status: { ...told("NewReplicaSetCreated", 5), updatedReplicas: 0 } }),
      sets(2, 0),
      undefined,
      "True ReplicaSetUpdated",
    ],
    [
      "goes on when more pods serve than before",
      deployment(2, {
        status: { ...told("ReplicaSetUpdated", 5), ...moving, updatedReplicas: 2, replicas: 2 },
      }),
      sets(2, 1),
      undefined,
      "True ReplicaSetUpdated",
    ],
    [
      "is complete when all pods are new and serve",
      deployment(2, { status: told("ReplicaSetUpdated", 5) }),
      sets(2),
      undefined,
      "True NewReplicaSetAvailable",
    ],
    [
      "is late when nothing moved for longer than the deadline",
      deployment(2, { status: { ...told("ReplicaSetUpdated", 601), updatedReplicas: 2, replicas: 2 } }),
      sets(2, 0),
      undefined,
      "False ProgressDeadlineExceeded",
    ],
    [
      "stays late",
      deployment(2, {
        status: { ...told("ProgressDeadlineExceeded", 5, "False"), updatedReplicas: 2, replicas: 2 },
      }),
      sets(2, 0),
      undefined,
      "False ProgressDeadlineExceeded",
    ],
    [
      "stays complete when pods fail afterwards",
      deployment(2, { status: { ...told("NewReplicaSetAvailable", 9000), updatedReplicas: 2, replicas: 2 } }),
      sets(2, 0),
      undefined,
      "True NewReplicaSetAvailable",
    ],
    [
      "is not known while it is paused",
      deployment(2, { spec: { paused: true } }),
      sets(2),
      undefined,
      "Unknown DeploymentPaused",
    ],
    [
      "stays late while it is paused",
      deployment(2, { spec: { paused: true }, status: told("ProgressDeadlineExceeded", 5, "False") }),
      sets(2, 0),
      undefined,
      "False ProgressDeadlineExceeded",
    ],
    [
      "is resumed",
      deployment(2, {
        status: { ...told("DeploymentPaused", 9000, "Unknown"), updatedReplicas: 2, replicas: 2 },
      }),
      sets(2, 0),
      undefined,
      "Unknown DeploymentResumed",
    ],
  ])("%s", (_name, subject, replicaSets, creation, expected) => {
    const condition = progress(report(subject, replicaSets, creation).status);
    expect(`${condition?.status} ${condition?.reason}`).toBe(expected);
  });

  it("says which replica set it is about", () => {
    const { status } = report(deployment(1, { status: told("ReplicaSetUpdated", 5) }), sets(1));
    expect(progress(status)?.message).toBe('ReplicaSet "web-new" has successfully progressed.');
  });

  it("tells the time of each move, and keeps the time of the transition", () => {
    const before = { ...told("ReplicaSetUpdated", 50), updatedReplicas: 1, replicas: 1 };
    expect(progress(report(deployment(2, { status: before }), sets(2, 0)).status)).toMatchObject({
      lastUpdateTime: ago(0),
      lastTransitionTime: ago(50),
    });
  });

  it("is not judged without a deadline", () => {
    const status = told("ReplicaSetUpdated", 5);
    for (const progressDeadlineSeconds of [undefined, 2_147_483_647]) {
      const { conditions } = report(
        deployment(1, { spec: { progressDeadlineSeconds }, status }),
        sets(1),
      ).status;
      expect(conditions?.map(({ type }) => type)).toEqual(["Available"]);
    }
  });

  it("is looked at again when the deadline passes, not when it is decided", () => {
    const waiting = deployment(2, {
      status: { ...told("ReplicaSetUpdated", 100), updatedReplicas: 2, replicas: 2 },
    });
    expect(report(waiting, sets(2, 0)).lookAgainAfter).toBe(501_000);
    expect(report(waiting, sets(2)).lookAgainAfter).toBeUndefined();
    const late = deployment(2, {
      status: { ...told("ReplicaSetUpdated", 700), updatedReplicas: 2, replicas: 2 },
    });
    expect(report(late, sets(2, 0)).lookAgainAfter).toBeUndefined();
  });
});

describe("a deployment's failure", () => {
  const conditions = [
    { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "no quota" },
  ];
  it("is its replica set's, and goes with it", () => {
    const failing = report(deployment(1), [replicaSet("web-new", 1, { replicas: 0, conditions })]).status;
    expect(failing.conditions).toContainEqual(
      expect.objectContaining({ type: "ReplicaFailure", reason: "FailedCreate", message: "no quota" }),
    );
    const healed = report(deployment(1, { status: failing }), sets(1)).status;
    expect(healed.conditions?.map(({ type }) => type)).not.toContain("ReplicaFailure");
  });
});

/** Without any pods yet. */
function unseen(set: ReplicaSet): ReplicaSet {
  return { ...set, status: { replicas: 0 } };
}
