import type { Deployment, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { ago, deployment, pod, replicaSet, type DeploymentSetup } from "../testing/builders.ts";
import { limitsOf } from "./limits.ts";
import { planDeployment, type DeploymentAction } from "./plan.ts";

/** An action in a word: `scale new 3`. */
function said(action: DeploymentAction): string {
  const { name } = action.replicaSet.metadata;
  if (action.type === "create") return `create ${action.replicaSet.spec.replicas}`;
  return action.type === "scale" ? `scale ${name} ${action.replicas}` : `${action.type} ${name}`;
}

function plan(
  subject: Deployment,
  replicaSets: readonly ReplicaSet[],
  pods: readonly ReturnType<typeof pod>[] = [],
): readonly string[] {
  return planDeployment({ deployment: subject, replicaSets, pods }).map(said);
}

const sized = { desired: 3, most: 4 };
const fresh = { image: "main:1", revision: 2, age: 10, ...sized };
const old = { image: "main:0", revision: 1, age: 99, ...sized };

describe("a deployment's limits", () => {
  const rolling = (maxSurge: string | number, maxUnavailable: string | number): DeploymentSetup => ({
    spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } },
  });
  it.each<[string, number, DeploymentSetup, number, number]>([
    ["numbers are numbers", 10, rolling(2, 3), 12, 7],
    ["per cents more are rounded up, fewer down", 10, rolling("25%", "25%"), 13, 8],
    ["neither more nor fewer is one fewer", 4, rolling(0, "10%"), 4, 3],
    ["never fewer than none", 2, rolling(1, 5), 3, 0],
    ["of nothing is nothing", 0, rolling("25%", "25%"), 0, 0],
    ["recreating needs all", 3, { spec: { strategy: { type: "Recreate" } } }, 3, 3],
  ])("%s", (_name, replicas, setup, most, least) => {
    expect(limitsOf(deployment(replicas, setup))).toEqual({ wanted: replicas, most, least });
  });
});

describe("a rolling deployment", () => {
  it.each<[string, Deployment, readonly ReplicaSet[], readonly string[]]>([
    ["makes its first replica set at full size", deployment(3), [], ["create 3"]],
    [
      "makes a new one as large as the limit allows",
      deployment(3),
      [replicaSet("old", 3, old)],
      ["create 1"],
    ],
    ["does nothing when all is as wanted", deployment(3), [replicaSet("new", 3, fresh)], []],
    [
      "lets old pods go as far as enough others serve",
      deployment(3),
      [replicaSet("old", 3, old), replicaSet("new", 1, { ...fresh, available: 0 })],
      ["scale old 2"],
    ],
    [
      "grows when old pods have gone",
      deployment(3),
      [replicaSet("old", 2, old), replicaSet("new", 1, { ...fresh, available: 0 })],
      ["scale new 2"],
    ],
    [
      "waits while too few serve",
      deployment(3),
      [replicaSet("old", 2, old), replicaSet("new", 2, { ...fresh, available: 0 })],
      [],
    ],
    [
      "lets old pods that do not serve go first",
      deployment(3),
      [
        replicaSet("sick", 2, { ...old, age: 20, available: 0 }),
        replicaSet("well", 1, { ...old, image: "main:9", age: 90 }),
        replicaSet("new", 1, { ...fresh }),
      ],
      ["scale sick 0"],
    ],
    [
      "keeps old pods that do not serve while the new ones do not either",
      deployment(10, {
        spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } },
      }),
      [
        replicaSet("old", 8, { ...old, desired: 10, most: 13, available: 5 }),
        replicaSet("new", 5, { ...fresh, desired: 10, most: 13, available: 0 }),
      ],
      [],
    ],
    [
      "takes from the oldest of those that serve",
      deployment(3),
      [
        replicaSet("older", 2, { ...old, age: 90 }),
        replicaSet("young", 1, { ...old, image: "main:9", age: 20 }),
        replicaSet("new", 1, fresh),
      ],
      ["scale older 0"],
    ],
    [
      "corrects a new replica set that somebody made larger",
      deployment(3),
      [replicaSet("new", 5, fresh)],
      ["scale new 3"],
    ],
    [
      "does nothing while it is being deleted",
      deployment(3, { metadata: { deletionTimestamp: ago(0) } }),
      [],
      [],
    ],
  ])("%s", (_name, subject, sets, expected) => {
    expect(plan(subject, sets)).toEqual(expected);
  });

  it("uses an old template's replica set again, under the newest number", () => {
    const sets = [
      replicaSet("back", 0, { ...fresh, revision: 1 }),
      replicaSet("last", 3, { ...old, revision: 4 }),
    ];
    const [align, ...more] = planDeployment({ deployment: deployment(3), replicaSets: sets, pods: [] });
    expect(more).toEqual([]);
    expect(align).toMatchObject({
      type: "align",
      replicaSet: { metadata: { name: "back" } },
      annotations: {
        "deployment.kubernetes.io/revision": "5",
        "deployment.kubernetes.io/revision-history": "1",
      },
    });
  });

  it("gives its replica set its own annotations and minReadySeconds, but not kubectl's", () => {
    const annotations = { note: "x", "kubectl.kubernetes.io/last-applied-configuration": "{}" };
    const subject = deployment(3, { metadata: { annotations }, spec: { minReadySeconds: 5 } });
    const [align] = planDeployment({
      deployment: subject,
      replicaSets: [replicaSet("new", 3, fresh)],
      pods: [],
    });
    expect(align).toMatchObject({ type: "align", minReadySeconds: 5, annotations: { note: "x" } });
    expect(align).not.toHaveProperty("annotations.kubectl.kubernetes.io/last-applied-configuration");
  });

  it("names a new replica set after the template, and counts on", () => {
    const [create] = planDeployment({
      deployment: deployment(3),
      replicaSets: [replicaSet("old", 3, { ...old, revision: 7 })],
      pods: [],
    });
    const hash = create?.replicaSet.metadata.labels?.["pod-template-hash"] ?? "";
    expect(hash).toMatch(/^[a-z0-9]{1,10}$/u);
    const labels = { app: "web", "pod-template-hash": hash };
    expect(create).toMatchObject({
      type: "create",
      replicaSet: {
        metadata: {
          name: `web-${hash}`,
          annotations: {
            "deployment.kubernetes.io/revision": "8",
            "deployment.kubernetes.io/desired-replicas": "3",
            "deployment.kubernetes.io/max-replicas": "4",
          },
          ownerReferences: [{ kind: "Deployment", name: "web", controller: true }],
        },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
      },
    });
  });

  it("takes another name after a collision", () => {
    const name = (collisionCount: number): unknown =>
      planDeployment({
        deployment: deployment(1, { status: { collisionCount } }),
        replicaSets: [],
        pods: [],
      })[0]?.replicaSet.metadata.name;
    expect(name(0)).not.toBe(name(1));
  });
});

describe("another size of a deployment", () => {
  it.each<[string, Deployment, readonly ReplicaSet[], readonly string[]]>([
    ["goes to the only replica set with pods", deployment(5), [replicaSet("new", 3, fresh)], ["scale new 5"]],
    [
      "is spread in proportion in the middle of a roll-out",
      deployment(20, {
        spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } } },
      }),
      [
        replicaSet("old", 8, { ...old, desired: 10, most: 10 }),
        replicaSet("new", 2, { ...fresh, desired: 10, most: 10, available: 0 }),
      ],
      ["scale old 16", "scale new 4"],
    ],
    [
      "gives what rounding leaves to the largest",
      deployment(5),
      [replicaSet("old", 2, { ...old }), replicaSet("new", 1, { ...fresh, available: 0 })],
      ["scale old 4", "scale new 2"],
    ],
    [
      "is nothing for all when it is none",
      deployment(0),
      [replicaSet("old", 2, old), replicaSet("new", 2, { ...fresh, available: 0 })],
      ["scale old 0", "scale new 0"],
    ],
    [
      "ends old replica sets when the new one has all that is wanted",
      deployment(2),
      [replicaSet("old", 2, old), replicaSet("new", 2, { ...fresh, desired: 2 })],
      ["scale old 0"],
    ],
  ])("%s", (_name, subject, sets, expected) => {
    expect(plan(subject, sets)).toEqual(expected);
  });
});

describe("a paused deployment", () => {
  const paused = (replicas: number, spec = {}): Deployment =>
    deployment(replicas, { spec: { paused: true, ...spec } });
  it("starts no roll-out", () => {
    expect(plan(paused(3), [replicaSet("old", 3, old)])).toEqual([]);
    expect(plan(paused(3), [])).toEqual([]);
  });
  it("still changes its size, of the template that it has", () => {
    expect(plan(paused(5), [replicaSet("old", 3, old)])).toEqual(["scale old 5"]);
  });
  it("still forgets", () => {
    const sets = [replicaSet("new", 3, fresh), replicaSet("old", 0, old)];
    expect(plan(paused(3, { revisionHistoryLimit: 0 }), sets)).toEqual(["delete old"]);
  });
});

describe("a recreating deployment", () => {
  const recreating = deployment(3, { spec: { strategy: { type: "Recreate" } } });
  const same = { desired: 3, most: 3 };
  const left = pod("left", { terminating: true, owner: { kind: "ReplicaSet", name: "old" } });
  const ended = pod("ended", { phase: "Failed", owner: { kind: "ReplicaSet", name: "old" } });
  const ofNew = pod("n", { owner: { kind: "ReplicaSet", name: "new" } });
  it.each<[string, readonly ReplicaSet[], readonly ReturnType<typeof pod>[], readonly string[]]>([
    ["makes its first replica set at full size", [], [], ["create 3"]],
    ["lets all old pods go first", [replicaSet("old", 3, { ...old, ...same })], [], ["scale old 0"]],
    ["waits until the last has gone", [replicaSet("old", 0, { ...old, ...same })], [left], []],
    ["then makes the new ones", [replicaSet("old", 0, { ...old, ...same })], [], ["create 3"]],
    ["does not wait for pods that ended", [replicaSet("old", 0, { ...old, ...same })], [ended], ["create 3"]],
    [
      "does not wait for pods of its own template",
      [replicaSet("old", 0, { ...old, ...same }), replicaSet("new", 1, { ...fresh, ...same })],
      [ofNew],
      ["scale new 3"],
    ],
  ])("%s", (_name, sets, pods, expected) => {
    expect(plan(recreating, sets, pods)).toEqual(expected);
  });
});

describe("a deployment's history", () => {
  const history = [1, 2, 3].map((revision) =>
    replicaSet(`r${revision}`, 0, { ...old, image: `main:${revision + 10}`, revision }),
  );
  const current = replicaSet("new", 3, { ...fresh, revision: 9 });
  const limited = deployment(3, { spec: { revisionHistoryLimit: 1 } });
  it("keeps the newest templates", () => {
    expect(plan(limited, [...history.toReversed(), current])).toEqual(["delete r1", "delete r2"]);
  });
  it("is kept whole while an update is under way", () => {
    expect(
      plan(limited, [...history, replicaSet("new", 3, { ...fresh, revision: 9, available: 2 })]),
    ).toEqual([]);
  });
  it("keeps replica sets that still have pods", () => {
    const busy = replicaSet("r0", 0, { ...old, image: "main:20", revision: 0, replicas: 1, available: 0 });
    expect(
      plan(deployment(3, { spec: { revisionHistoryLimit: 3, paused: true } }), [busy, ...history, current]),
    ).toEqual([]);
  });
});
