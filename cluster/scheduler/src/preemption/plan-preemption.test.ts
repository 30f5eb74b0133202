import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { findNode } from "../find-node.ts";
import { node, pod, stored, type PodSetup } from "../testing/builders.ts";
import { prepared, type Situation } from "../testing/situation.ts";
import { planPreemption } from "./plan-preemption.ts";

/** Who would have to leave which node for a pod. */
function plan(situation: Situation): string {
  const { cycle, search } = prepared(situation);
  const finding = findNode(cycle, search);
  if (finding.node !== undefined) return `fits on ${finding.node.name}`;
  const found = planPreemption(cycle, finding, { ...search, budgets: situation.budgets ?? [], now: 0 });
  if (found.type === "none") return found.why;
  return `${found.node}: ${found.victims.map((victim) => victim.pod.metadata.name).join(" ")}`;
}

function of(name: string, priority: number, cpu: string, more: PodSetup = {}): Pod {
  return pod(name, { ...more, requests: { cpu }, spec: { priority, ...more.spec } });
}

const wants = of("p", 100, "3");
const [a, b] = [node("a"), node("b")];
const guarded = { labels: { app: "guarded" } };
const guard = (disruptionsAllowed: number) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { ...stored("guard"), namespace: "default" },
  spec: { selector: { matchLabels: guarded.labels } },
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
});
const leaving: PodSetup = {
  metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
  status: {
    conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }],
  },
};

describe("for a more important pod", () => {
  it.each<[string, Situation, string]>([
    ["nobody leaves when there is room", { pod: wants, nodes: [a] }, "fits on a"],
    [
      "as few leave as will do, the least important first",
      { pod: wants, nodes: [a], on: { a: [of("x", 1, "1"), of("y", 2, "1"), of("z", 3, "1")] } },
      "a: y x",
    ],
    [
      "those leave whose most important is the least important",
      { pod: wants, nodes: [a, b], on: { a: [of("x", 5, "2")], b: [of("y", 1, "1"), of("z", 1, "1")] } },
      "b: z",
    ],
    [
      "the fewest leave",
      {
        pod: of("p", 100, "4"),
        nodes: [a, b],
        on: { a: [of("x", 1, "1"), of("y", 1, "1")], b: [of("z", 1, "2")] },
      },
      "b: z",
    ],
    [
      "those leave that began last",
      {
        pod: wants,
        nodes: [a, b],
        on: {
          a: [of("old", 1, "3", { status: { startTime: "2020-01-01T00:00:00Z" } })],
          b: [of("new", 1, "3", { status: { startTime: "2026-01-01T00:00:00Z" } })],
        },
      },
      "b: new",
    ],
    [
      "a budget sends it elsewhere, to more important ones",
      {
        pod: wants,
        nodes: [a, b],
        on: { a: [of("x", 1, "3", guarded)], b: [of("y", 50, "3")] },
        budgets: [guard(0)],
      },
      "b: y",
    ],
    [
      "a budget keeps those that may stay",
      {
        pod: of("p", 100, "2"),
        nodes: [a],
        on: { a: [of("x", 1, "2", guarded), of("y", 50, "2")] },
        budgets: [guard(0)],
      },
      "a: y",
    ],
    [
      "a budget that cannot be kept is broken",
      { pod: wants, nodes: [a], on: { a: [of("x", 1, "3", guarded)] }, budgets: [guard(0)] },
      "a: x",
    ],
    [
      "nobody leaves who is as important",
      { pod: wants, nodes: [a], on: { a: [of("x", 100, "3")] } },
      "0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ],
    [
      "nobody leaves in vain",
      { pod: wants, nodes: [a], on: { a: [of("x", 1, "1"), of("rock", 100, "2")] } },
      "0/1 nodes are available: 1 Insufficient cpu.",
    ],
    [
      "nobody leaves a node that would not do anyway",
      { pod: of("p", 100, "5"), nodes: [a], on: { a: [of("x", 1, "1")] } },
      "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ],
    [
      "nobody leaves when it is polite",
      {
        pod: of("p", 100, "3", { spec: { preemptionPolicy: "Never" } }),
        nodes: [a],
        on: { a: [of("x", 1, "3")] },
      },
      "not eligible due to preemptionPolicy=Never.",
    ],
    [
      "nobody more leaves while others are leaving for it",
      {
        pod: of("p", 100, "3", { status: { nominatedNodeName: "a" } }),
        nodes: [a, b],
        on: { a: [of("x", 1, "3", leaving)], b: [of("y", 1, "3")] },
      },
      "not eligible due to a terminating pod on the nominated node.",
    ],
    [
      "room is kept for those that were promised it",
      { pod: wants, nodes: [a], nominated: { a: [of("first", 100, "3")] } },
      "0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ],
    [
      "room is not kept for those that are less important",
      { pod: wants, nodes: [a], nominated: { a: [of("first", 50, "3")] } },
      "fits on a",
    ],
    [
      "it goes where it was promised, however full",
      {
        pod: of("p", 100, "1", { status: { nominatedNodeName: "a" } }),
        nodes: [a, b],
        on: { a: [of("x", 1, "2")] },
      },
      "fits on a",
    ],
  ])("%s", (_name, situation, expected) => {
    expect(plan(situation)).toBe(expected);
  });
});
