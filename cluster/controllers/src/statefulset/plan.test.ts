import type { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { ago, claim, controller, now, pod, statefulSet, type PodSetup } from "../testing/builders.ts";
import { planStatefulSet, type StatefulSetAction } from "./plan.ts";

const current = { name: "db-1", template: {} };
const update = { name: "db-2", template: {} };

/** A pod of the set, serving and of the revision before unless said otherwise. */
function member(ordinal: number, setup: PodSetup & { readonly revision?: string } = {}): Pod {
  const { revision = "db-1", ...rest } = setup;
  return pod(`db-${ordinal}`, { readyFor: 60, labels: { "controller-revision-hash": revision }, ...rest });
}

const fresh = (ordinal: number, setup: PodSetup = {}): Pod => member(ordinal, { revision: "db-2", ...setup });
const unready = (ordinal: number, revision = "db-1"): Pod =>
  pod(`db-${ordinal}`, { labels: { "controller-revision-hash": revision } });

function said(action: StatefulSetAction): string {
  switch (action.type) {
    case "create":
      return `create ${action.ordinal} ${action.revision.name}`;
    case "create claims":
      return `create claims ${action.ordinal}`;
    case "own claim":
      return `own ${action.claim.metadata.name} by ${action.owners.map(({ kind }) => kind).join(" ") || "nobody"}`;
    case "delete":
      return `delete ${action.pod.metadata.name} ${action.reason}`;
  }
}

interface Situation {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly isUpdating?: boolean;
}

function plan({ set, pods, claims = [], isUpdating = false }: Situation): readonly string[] {
  const view = {
    set,
    pods,
    claim: (name: string) => claims.find(({ metadata }) => metadata.name === name),
    current,
    update: isUpdating ? update : current,
    now,
  };
  return planStatefulSet(view).map(said);
}

const parallel = { podManagementPolicy: "Parallel" };

describe("an ordered set", () => {
  it.each<[string, Situation, readonly string[]]>([
    ["begins with the first pod", { set: statefulSet(3), pods: [] }, ["create 0 db-1"]],
    ["goes on when it serves", { set: statefulSet(3), pods: [member(0)] }, ["create 1 db-1"]],
    ["waits until it serves", { set: statefulSet(3), pods: [unready(0)] }, []],
    [
      "waits until it has served for long enough",
      { set: statefulSet(3, { minReadySeconds: 100 }), pods: [member(0)] },
      [],
    ],
    ["fills a gap first", { set: statefulSet(3), pods: [member(0), member(2)] }, ["create 1 db-1"]],
    ["waits for a pod on its way out", { set: statefulSet(2), pods: [member(0, { terminating: true })] }, []],
    [
      "removes a pod that ended, so that it can be made again",
      { set: statefulSet(2), pods: [member(0, { phase: "Failed" }), member(1)] },
      ["delete db-0 ended"],
    ],
    [
      "removes a pod that succeeded too",
      { set: statefulSet(2), pods: [member(0, { phase: "Succeeded" })] },
      ["delete db-0 ended"],
    ],
    [
      "shrinks from the last",
      { set: statefulSet(1), pods: [member(0), member(1), member(2)] },
      ["delete db-2 scaled down"],
    ],
    [
      "shrinks one at a time",
      { set: statefulSet(1), pods: [member(0), member(1), member(2, { terminating: true })] },
      [],
    ],
    [
      "does not shrink while a pod that stays is unhealthy",
      { set: statefulSet(1), pods: [unready(0), member(1)] },
      [],
    ],
    [
      "does not shrink past an unhealthy one below",
      { set: statefulSet(1), pods: [member(0), unready(1), unready(2)] },
      [],
    ],
    [
      "lets the only unhealthy one go",
      { set: statefulSet(1), pods: [member(0), member(1), unready(2)] },
      ["delete db-2 scaled down"],
    ],
    [
      "begins where it is told to",
      { set: statefulSet(2, { ordinals: { start: 5 } }), pods: [] },
      ["create 5 db-1"],
    ],
    [
      "gives up ordinals below its start",
      { set: statefulSet(1, { ordinals: { start: 1 } }), pods: [member(0), member(1)] },
      ["delete db-0 scaled down"],
    ],
    [
      "leaves pods alone that have none of its names",
      { set: statefulSet(1), pods: [member(0), pod("db-x")] },
      [],
    ],
    ["is content", { set: statefulSet(2), pods: [member(0), member(1)] }, []],
  ])("%s", (_name, situation, expected) => {
    expect(plan(situation)).toEqual(expected);
  });

  it("does nothing while it is being deleted", () => {
    const set = statefulSet(3);
    const metadata = { ...set.metadata, deletionTimestamp: ago(0) };
    expect(plan({ set: { ...set, metadata }, pods: [] })).toEqual([]);
  });
});

describe("a parallel set", () => {
  it.each<[string, Situation, readonly string[]]>([
    [
      "makes all pods at once",
      { set: statefulSet(3, parallel), pods: [] },
      ["create 0 db-1", "create 1 db-1", "create 2 db-1"],
    ],
    [
      "does not wait",
      { set: statefulSet(3, parallel), pods: [unready(0)] },
      ["create 1 db-1", "create 2 db-1"],
    ],
    [
      "shrinks at once, and mends at once",
      { set: statefulSet(1, parallel), pods: [member(0, { phase: "Failed" }), unready(1), unready(2)] },
      ["delete db-0 ended", "delete db-2 scaled down", "delete db-1 scaled down"],
    ],
    [
      "still updates one at a time",
      { set: statefulSet(2, parallel), pods: [member(0), member(1)], isUpdating: true },
      ["delete db-1 another revision"],
    ],
    [
      "updates a pod that does not serve, but no second one",
      { set: statefulSet(2, parallel), pods: [member(0), unready(1, "db-2")], isUpdating: true },
      [],
    ],
  ])("%s", (_name, situation, expected) => {
    expect(plan(situation)).toEqual(expected);
  });
});

describe("a set of as many replicas as the field can hold", () => {
  const most = 2 ** 31 - 1;

  it("is made in order", () => {
    expect(plan({ set: statefulSet(most), pods: [member(0)] })).toEqual(["create 1 db-1"]);
  });

  it("is made 500 at a time when it is parallel", () => {
    expect(plan({ set: statefulSet(most, parallel), pods: [] })).toHaveLength(500);
  });
});

describe("an update", () => {
  const partition = (value: number) => ({
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: value } },
  });
  it.each<[string, Situation, readonly string[]]>([
    [
      "begins with the last pod",
      { set: statefulSet(3), pods: [member(0), member(1), member(2)], isUpdating: true },
      ["delete db-2 another revision"],
    ],
    [
      "makes it again by the new template",
      { set: statefulSet(3), pods: [member(0), member(1)], isUpdating: true },
      ["create 2 db-2"],
    ],
    [
      "waits until it serves",
      { set: statefulSet(3), pods: [member(0), member(1), unready(2, "db-2")], isUpdating: true },
      [],
    ],
    [
      "goes on with the one before",
      { set: statefulSet(3), pods: [member(0), member(1), fresh(2)], isUpdating: true },
      ["delete db-1 another revision"],
    ],
    [
      "stops at the partition",
      { set: statefulSet(3, partition(2)), pods: [member(0), member(1), fresh(2)], isUpdating: true },
      [],
    ],
    [
      "makes pods below the partition by the template of before",
      { set: statefulSet(3, partition(2)), pods: [member(0), fresh(2)], isUpdating: true },
      ["create 1 db-1"],
    ],
    [
      "counts the partition from the first ordinal",
      {
        set: statefulSet(2, { ...partition(1), ordinals: { start: 5 } }),
        pods: [member(5), member(6)],
        isUpdating: true,
      },
      ["delete db-6 another revision"],
    ],
    [
      "is nobody's but the user's with OnDelete",
      {
        set: statefulSet(2, { updateStrategy: { type: "OnDelete" } }),
        pods: [member(0), member(1)],
        isUpdating: true,
      },
      [],
    ],
    [
      "of a pod that the user deleted is by the new template",
      { set: statefulSet(2, { updateStrategy: { type: "OnDelete" } }), pods: [member(0)], isUpdating: true },
      ["create 1 db-2"],
    ],
    [
      "comes after shrinking",
      { set: statefulSet(1), pods: [member(0), member(1)], isUpdating: true },
      ["delete db-1 scaled down"],
    ],
  ])("%s", (_name, situation, expected) => {
    expect(plan(situation)).toEqual(expected);
  });
});

describe("the claims of a set", () => {
  const volumeClaimTemplates = [{ ...claim("data"), metadata: { name: "data" } }];
  const keeps = { volumeClaimTemplates };
  const lets = (whenDeleted: string, whenScaled: string) => ({
    ...keeps,
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  });
  const owned = (name: string, kind: string, by: string): PersistentVolumeClaim =>
    claim(name, {}, { metadata: { ownerReferences: [controller(kind, by)] } });
  it.each<[string, Situation, readonly string[]]>([
    [
      "are made again for a pod that waits for them",
      { set: statefulSet(1, keeps), pods: [pod("db-0", { phase: "Pending" })] },
      ["create claims 0"],
    ],
    [
      "are nobody's when they are to stay",
      { set: statefulSet(1, keeps), pods: [member(0)], claims: [claim("data-db-0")] },
      [],
    ],
    [
      "become the set's when they are to go with it",
      { set: statefulSet(1, lets("Delete", "Retain")), pods: [member(0)], claims: [claim("data-db-0")] },
      ["own data-db-0 by StatefulSet"],
    ],
    [
      "of a place that stays are nobody's when they are only to go with a place",
      { set: statefulSet(1, lets("Retain", "Delete")), pods: [member(0)], claims: [claim("data-db-0")] },
      [],
    ],
    [
      "are set free when the policy changes",
      {
        set: statefulSet(1, lets("Retain", "Retain")),
        pods: [member(0)],
        claims: [owned("data-db-0", "StatefulSet", "db")],
      },
      ["own data-db-0 by nobody"],
    ],
    [
      "become the pod's before it is scaled away",
      {
        set: statefulSet(0, lets("Delete", "Delete")),
        pods: [member(0)],
        claims: [owned("data-db-0", "StatefulSet", "db")],
      },
      ["own data-db-0 by Pod"],
    ],
    [
      "go with the pod that is scaled away",
      {
        set: statefulSet(0, lets("Retain", "Delete")),
        pods: [member(0)],
        claims: [owned("data-db-0", "Pod", "db-0")],
      },
      ["delete db-0 scaled down"],
    ],
    [
      "of somebody else stay theirs",
      {
        set: statefulSet(1, lets("Delete", "Delete")),
        pods: [member(0)],
        claims: [owned("data-db-0", "X", "x")],
      },
      [],
    ],
    [
      "on their way out keep a new pod waiting",
      {
        set: statefulSet(1, keeps),
        pods: [],
        claims: [claim("data-db-0", {}, { metadata: { deletionTimestamp: ago(0) } })],
      },
      [],
    ],
    [
      "of an earlier pod, which go with it, keep a new pod waiting",
      {
        set: statefulSet(1, lets("Retain", "Delete")),
        pods: [],
        claims: [owned("data-db-0", "Pod", "db-0")],
      },
      [],
    ],
  ])("%s", (_name, situation, expected) => {
    expect(plan(situation)).toEqual(expected);
  });
});
