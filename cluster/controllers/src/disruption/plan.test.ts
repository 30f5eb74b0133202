import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "@kedge/machinery/kinds/policy/v1";
import { describe, expect, it } from "vitest";
import { ago, now, pod, stored } from "../testing/builders.ts";
import { needsScale, reportBudget, reportFailure } from "./plan.ts";
import { selectorText } from "../selector-text.ts";
import { isTarget, withoutTarget } from "./stale-condition-controller.ts";

const budget = (
  spec: PodDisruptionBudgetSpec,
  status?: PodDisruptionBudget["status"],
): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: stored("web", { generation: 2 }),
  spec,
  ...(status !== undefined && { status }),
});
const ready = (name: string) => pod(name, { readyFor: 10 });
const three = [ready("a"), ready("b"), ready("c")];

describe("a budget", () => {
  it.each<
    [string, PodDisruptionBudgetSpec, readonly Pod[], number, readonly [number, number, number, number]]
  >([
    // expected, healthy, desired, allowed
    ["of a number that must stay", { minAvailable: 2 }, three, 0, [3, 3, 2, 1]],
    ["of more than there are", { minAvailable: 5 }, three, 0, [3, 3, 5, 0]],
    ["of a part that must stay, rounded up", { minAvailable: "50%" }, three, 3, [3, 3, 2, 1]],
    ["of a part of what is wanted, not of what is there", { minAvailable: "50%" }, three, 10, [10, 3, 5, 0]],
    ["of a number that may go", { maxUnavailable: 1 }, three, 3, [3, 3, 2, 1]],
    ["of a part that may go, rounded up", { maxUnavailable: "34%" }, three, 3, [3, 3, 1, 2]],
    ["of more that may go than there are", { maxUnavailable: 9 }, three, 3, [3, 3, 0, 3]],
    ["of nothing at all", {}, three, 0, [0, 3, 0, 0]],
    ["without pods", { minAvailable: 0 }, [], 0, [0, 0, 0, 0]],
    [
      "counts neither pods that are not ready nor those that go",
      { minAvailable: 1 },
      [ready("a"), pod("b"), pod("c", { readyFor: 10, terminating: true })],
      0,
      [3, 1, 1, 0],
    ],
  ])("%s", (_title, spec, pods, scale, expected) => {
    const { status } = reportBudget({ budget: budget(spec), pods, scale, now });
    const { expectedPods, currentHealthy, desiredHealthy, disruptionsAllowed } = status;
    expect([expectedPods, currentHealthy, desiredHealthy, disruptionsAllowed]).toEqual(expected);
    expect(status.observedGeneration).toBe(2);
    const [condition] = status.conditions ?? [];
    expect([condition?.status, condition?.reason, condition?.observedGeneration]).toEqual(
      (disruptionsAllowed ?? 0) > 0 ? ["True", "SufficientPods", 2] : ["False", "InsufficientPods", 2],
    );
  });

  it("asks for sizes of owners only when it needs them", () => {
    const all: PodDisruptionBudgetSpec[] = [
      { minAvailable: 1 },
      {},
      { minAvailable: "1%" },
      { maxUnavailable: 1 },
    ];
    expect(all.map((spec) => needsScale(budget(spec)))).toEqual([false, false, true, true]);
  });

  it("counts on pods no more whose eviction was allowed, for two minutes", () => {
    const disruptedPods = { a: ago(30), b: ago(121), c: ago(10), gone: ago(10) };
    const pods = [ready("a"), ready("b"), pod("c", { readyFor: 10, terminating: true })];
    const report = reportBudget({
      budget: budget({ minAvailable: 1 }, { disruptedPods }),
      pods,
      scale: 0,
      now,
    });
    expect(report.status).toMatchObject({ currentHealthy: 1, disruptedPods: { a: ago(30) } });
    expect(report.notDeleted.map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(report.lookAgainAfter).toBe(90_001);
  });

  it("is the same when nothing changes", () => {
    const first = reportBudget({ budget: budget({ minAvailable: 2 }), pods: three, scale: 0, now });
    const again = {
      budget: budget({ minAvailable: 2 }, first.status),
      pods: three,
      scale: 0,
      now: now + 60_000,
    };
    expect(reportBudget(again).status).toEqual(first.status);
  });

  it("that cannot be counted allows nothing, says why, and keeps the rest", () => {
    const status = {
      currentHealthy: 3,
      disruptionsAllowed: 2,
      observedGeneration: 1,
      disruptedPods: { a: ago(1) },
    };
    expect(reportFailure(budget({ maxUnavailable: 1 }, status), new Error("no scale"), now)).toEqual({
      ...status,
      disruptionsAllowed: 0,
      conditions: [
        {
          type: "DisruptionAllowed",
          status: "False",
          reason: "SyncFailed",
          message: "no scale",
          observedGeneration: 1,
          lastTransitionTime: ago(0),
        },
      ],
    });
  });
});

it("a selector is shown as Go prints it", () => {
  const selector = {
    matchLabels: { b: "2", a: "1" },
    matchExpressions: [{ key: "c", operator: "In", values: ["x", "y"] }],
  };
  expect(selectorText(selector)).toBe(
    "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:c,Operator:In,Values:[x y],},},}",
  );
  expect(selectorText(undefined)).toBe("nil");
});

describe("the condition DisruptionTarget", () => {
  const target = (setup: Parameters<typeof pod>[1], reason = "EvictionByEvictionAPI"): Pod => {
    const plain = pod("a", setup);
    const condition = { type: "DisruptionTarget", status: "True", reason, lastTransitionTime: ago(200) };
    return {
      ...plain,
      status: { ...plain.status, conditions: [condition, { type: "Ready", status: "True" }] },
    };
  };
  it.each<[string, Pod, boolean]>([
    ["of a pod that is not going is stale", target({}), true],
    ["of a pod that goes is right", target({ terminating: true }), false],
    ["of a pod that has ended is right", target({ phase: "Failed" }), false],
    ["that its node has set is right", target({}, "TerminationByKubelet"), false],
    ["that is not there is not stale", pod("a"), false],
  ])("%s", (_title, one, expected) => {
    expect(isTarget(one)).toBe(expected);
  });

  it("is taken back in its place", () => {
    expect(withoutTarget(target({}), now).conditions).toEqual([
      { type: "DisruptionTarget", status: "False", lastTransitionTime: ago(0) },
      { type: "Ready", status: "True" },
    ]);
  });
});
