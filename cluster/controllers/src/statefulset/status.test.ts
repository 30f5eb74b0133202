import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { now, pod, statefulSet, type PodSetup } from "../testing/builders.ts";
import { reportStatefulSet } from "./status.ts";

const member = (ordinal: number, revision: string, setup: PodSetup = { readyFor: 5 }): Pod =>
  pod(`db-${ordinal}`, { labels: { "controller-revision-hash": revision }, ...setup });

const view = (set: ReturnType<typeof statefulSet>, pods: readonly Pod[]) => ({
  set,
  pods,
  claim: () => undefined,
  current: { name: "db-1", template: {} },
  update: { name: "db-2", template: {} },
  now,
});

describe("the status of a set", () => {
  it("counts pods by readiness and revision", () => {
    const pods = [
      member(0, "db-1", { readyFor: 60 }),
      member(1, "db-1"),
      member(2, "db-2", {}),
      member(3, "db-2", { terminating: true, readyFor: 60 }),
      pod("stranger"),
    ];
    expect(reportStatefulSet(view(statefulSet(4, { minReadySeconds: 30 }), pods))).toEqual({
      replicas: 4,
      readyReplicas: 3,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: "db-1",
      updateRevision: "db-2",
      collisionCount: 0,
      observedGeneration: 1,
    });
  });

  it.each<[string, Parameters<typeof statefulSet>[1], readonly Pod[], string]>([
    ["is complete when all pods are new and serve", {}, [member(0, "db-2"), member(1, "db-2")], "db-2"],
    ["is not while one is old", {}, [member(0, "db-1"), member(1, "db-2")], "db-1"],
    ["is not while one does not serve", {}, [member(0, "db-2"), member(1, "db-2", {})], "db-1"],
    ["is not while one is too many", {}, [member(0, "db-2"), member(1, "db-2"), member(2, "db-1")], "db-1"],
    [
      "is never with OnDelete",
      { updateStrategy: { type: "OnDelete" } },
      [member(0, "db-2"), member(1, "db-2")],
      "db-1",
    ],
  ])("an update %s", (_name, spec, pods, currentRevision) => {
    expect(reportStatefulSet(view(statefulSet(2, spec), pods)).currentRevision).toBe(currentRevision);
  });
});
