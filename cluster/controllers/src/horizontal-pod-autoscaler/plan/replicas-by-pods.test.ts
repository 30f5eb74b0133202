import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { used, worker, type WorkerSetup } from "../../testing/autoscaler-builders.ts";
import { now, pod } from "../../testing/builders.ts";
import { defaultHorizontalPodAutoscaler as options } from "../options.ts";
import { replicasByAverage, replicasByUtilization, type PodsTarget } from "./replicas-by-pods.ts";

const tolerances = { down: 0.1, up: 0.1 };

function target(
  pods: readonly Pod[],
  amounts: Readonly<Record<string, number>>,
  resource = "cpu",
): PodsTarget {
  return { pods, amounts: used(amounts), replicas: pods.length, tolerances, resource, now, options };
}

function workers(...setups: readonly WorkerSetup[]): readonly Pod[] {
  return setups.map((setup, i) => worker(`p${i}`, setup));
}

const three = workers({}, {}, {});

interface Row {
  readonly title: string;
  readonly pods: readonly Pod[];
  readonly amounts: Readonly<Record<string, number>>;
  readonly replicas: number;
}

describe("the right number for half of what pods ask for of the processor", () => {
  it.each<Row>([
    { title: "more when they use more", pods: three, amounts: { p0: 900, p1: 900, p2: 900 }, replicas: 6 },
    { title: "fewer when they use less", pods: three, amounts: { p0: 100, p1: 100, p2: 100 }, replicas: 1 },
    {
      title: "as many within the tolerance",
      pods: three,
      amounts: { p0: 550, p1: 550, p2: 550 },
      replicas: 3,
    },
    { title: "more just above it", pods: three, amounts: { p0: 560, p1: 560, p2: 560 }, replicas: 4 },
    {
      title: "a missing pod uses nothing when there are to be more",
      pods: three,
      amounts: { p0: 1000, p1: 1000 },
      replicas: 4,
    },
    {
      title: "and all that it asks for when there are to be fewer",
      pods: three,
      amounts: { p0: 10, p1: 10 },
      replicas: 3,
    },
    {
      title: "many missing ones do not turn growth into its opposite",
      pods: workers({}, {}, {}, {}),
      amounts: { p0: 700 },
      replicas: 4,
    },
    {
      title: "a pending pod uses nothing when there are to be more",
      pods: workers({}, {}, { phase: "Pending" }),
      amounts: { p0: 1000, p1: 1000 },
      replicas: 4,
    },
    {
      title: "and does not count when there are to be fewer",
      pods: workers({}, {}, { phase: "Pending" }),
      amounts: { p0: 100, p1: 100 },
      replicas: 1,
    },
    {
      title: "a pod that has just become ready does not count yet",
      pods: workers({}, {}, { age: 60, readyFor: 10 }),
      amounts: { p0: 500, p1: 500, p2: 9000 },
      replicas: 3,
    },
    {
      title: "one that is ready for longer than the measure took does, though it is young",
      pods: workers({}, {}, { age: 60, readyFor: 31 }),
      amounts: { p0: 500, p1: 500, p2: 2000 },
      replicas: 6,
    },
    {
      title: "an old pod that was ready once counts though it is not ready now",
      pods: workers({}, {}, { readyFor: -60 }),
      amounts: { p0: 500, p1: 500, p2: 2000 },
      replicas: 6,
    },
    {
      title: "one that was never ready does not",
      pods: workers({}, {}, { readyFor: -3590 }),
      amounts: { p0: 500, p1: 500, p2: 2000 },
      replicas: 3,
    },
    {
      title: "pods that go or failed do not count",
      pods: workers({}, {}, { terminating: true }, { phase: "Failed" }),
      amounts: { p0: 750, p1: 750, p2: 0, p3: 0 },
      replicas: 3,
    },
  ])("$title", ({ pods, amounts, replicas }) => {
    expect(replicasByUtilization(target(pods, amounts), 50, undefined).replicas).toBe(replicas);
  });

  it("says what is used on average, of what was measured", () => {
    expect(replicasByUtilization(target(three, { p0: 10, p1: 35 }), 50, undefined)).toEqual({
      replicas: 3,
      utilization: 2,
      average: 22n,
    });
  });

  it("takes a missing pod to use the target when that is more than all", () => {
    expect(replicasByUtilization(target(three, { p0: 500, p1: 500 }), 200, undefined).replicas).toBe(2);
  });

  it.each<readonly [string, readonly Pod[], Readonly<Record<string, number>>, string]>([
    ["without pods", [], {}, "no pods returned by selector while calculating replica count"],
    [
      "with unready ones only",
      workers({ phase: "Pending" }),
      {},
      "did not receive metrics for targeted pods (pods might be unready)",
    ],
    [
      "of one that has only begun",
      [pod("p0")],
      { p0: 1 },
      "did not receive metrics for targeted pods (pods might be unready)",
    ],
    ["of other pods", three, { other: 1 }, "no metrics returned matched known pods"],
  ])("cannot be told %s", (_title, pods, amounts, message) => {
    expect(() => replicasByUtilization(target(pods, amounts), 50, undefined)).toThrow(message);
  });
});

describe("requests", () => {
  const main = { name: "main", resources: { requests: { cpu: "1" } } };
  const of = (spec: Partial<Pod["spec"]>): readonly Pod[] => {
    const base = worker("p0");
    return [{ ...base, spec: { ...base.spec, ...spec } }];
  };
  const side = { name: "side", restartPolicy: "Always", resources: { requests: { cpu: "3" } } };

  it.each<readonly [string, readonly Pod[], string | undefined, number]>([
    ["sidecars count", of({ initContainers: [side] }), undefined, 25],
    [
      "other init containers do not",
      of({ initContainers: [{ ...side, restartPolicy: undefined }] }),
      undefined,
      100,
    ],
    ["one container alone", of({ initContainers: [side] }), "side", 33],
    ["what is asked for the pod as a whole", of({ resources: { requests: { cpu: "2" } } }), undefined, 50],
    [
      "its overhead then too",
      of({ resources: { requests: { cpu: "2" } }, overhead: { cpu: "2" } }),
      undefined,
      25,
    ],
    [
      "the containers' where the pod says nothing of it",
      of({ resources: { requests: { memory: "1Gi" } }, initContainers: [side] }),
      undefined,
      25,
    ],
  ])("%s", (_title, pods, container, utilization) => {
    const found = replicasByUtilization(target(pods, { p0: 1000 }), 50, container);
    expect(found.utilization).toBe(utilization);
  });

  it.each<readonly [string, readonly Pod[], string | undefined]>([
    [
      "missing request for cpu in container side of Pod p0",
      of({ containers: [main, { name: "side" }] }),
      undefined,
    ],
    ["container other not found in Pod p0", of({}), "other"],
    [
      "missing pod-level request for cpu in Pod p0",
      of({ containers: [{ name: "main" }], resources: { requests: { memory: "1Gi" } } }),
      undefined,
    ],
  ])("%s", (message, pods, container) => {
    expect(() => replicasByUtilization(target(pods, { p0: 1000 }), 50, container)).toThrow(message);
  });
});

describe("the right number for an average of 100", () => {
  it.each<Row>([
    { title: "more", pods: three, amounts: { p0: 300, p1: 300, p2: 0 }, replicas: 6 },
    { title: "fewer", pods: three, amounts: { p0: 90, p1: 10, p2: 0 }, replicas: 1 },
    {
      title: "a missing pod has the target when there are to be fewer",
      pods: three,
      amounts: { p0: 10, p1: 10 },
      replicas: 2,
    },
    {
      title: "young pods count: it is not the processor",
      pods: workers({}, { age: 1, readyFor: -1 }),
      amounts: { p0: 200, p1: 200 },
      replicas: 4,
    },
  ])("$title", ({ pods, amounts, replicas }) => {
    expect(replicasByAverage(target(pods, amounts, ""), 100n).replicas).toBe(replicas);
  });
});
