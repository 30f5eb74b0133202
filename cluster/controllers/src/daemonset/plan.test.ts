import type { Node } from "@kedge/machinery/kinds/core/v1";
import type { DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { daemonSet, node, onNode, ready, taint, three, told, view } from "../testing/daemon-builders.ts";
import { podOfDaemonSet } from "./new-pod.ts";
import { fitOf } from "./nodes.ts";
import { planDaemonSet, type DaemonSetView } from "./plan.ts";

describe("which nodes get a pod of a daemon set", () => {
  const cases: readonly [string, DaemonSet, Node, { shouldRun: boolean; mayStay: boolean }][] = [
    ["any", daemonSet(), node("a"), { shouldRun: true, mayStay: true }],
    [
      "not one whose label it does not want",
      daemonSet({}, { nodeSelector: { disk: "ssd" } }),
      node("a"),
      { shouldRun: false, mayStay: false },
    ],
    [
      "one whose label it wants",
      daemonSet({}, { nodeSelector: { disk: "ssd" } }),
      node("a", [], { disk: "ssd" }),
      { shouldRun: true, mayStay: true },
    ],
    [
      "only the one that it names",
      daemonSet({}, { nodeName: "b" }),
      node("a"),
      { shouldRun: false, mayStay: false },
    ],
    [
      "not one with a taint, but pods there stay",
      daemonSet(),
      node("a", [taint("NoSchedule")]),
      { shouldRun: false, mayStay: true },
    ],
    [
      "not one with a taint that sends pods away",
      daemonSet(),
      node("a", [taint("NoExecute")]),
      { shouldRun: false, mayStay: false },
    ],
    [
      "one with a taint that is only a wish",
      daemonSet(),
      node("a", [taint("PreferNoSchedule")]),
      { shouldRun: true, mayStay: true },
    ],
    [
      "one with a taint that it tolerates",
      daemonSet({}, { tolerations: [{ key: "own", operator: "Exists" }] }),
      node("a", [taint("NoExecute")]),
      { shouldRun: true, mayStay: true },
    ],
    [
      "one that is not ready",
      daemonSet(),
      node("a", [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }]),
      { shouldRun: true, mayStay: true },
    ],
    [
      "one that is cordoned",
      daemonSet(),
      node("a", [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }]),
      { shouldRun: true, mayStay: true },
    ],
  ];
  it.each(cases)("%s", (_name, of, one, expected) => {
    expect(fitOf(of, one)).toEqual(expected);
  });
  it("without a network only those that need none", () => {
    const lonely = node("a", [{ key: "node.kubernetes.io/network-unavailable", effect: "NoSchedule" }]);
    expect(fitOf(daemonSet(), lonely).shouldRun).toBe(false);
    expect(fitOf(daemonSet({}, { hostNetwork: true }), lonely).shouldRun).toBe(true);
  });
});

describe("the pods of a daemon set", () => {
  const surge = {
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  };
  const cases: readonly [string, DaemonSetView, string][] = [
    ["are made where one is missing", view(daemonSet(), three, [onNode("p", "b")]), "+[a c] -[]"],
    [
      "are not made where one is on its way out",
      view(daemonSet(), [node("a")], [onNode("p", "a", { terminating: true })]),
      "+[] -[]",
    ],
    [
      "are made where one that has ended is on its way out",
      view(daemonSet(), [node("a")], [onNode("p", "a", { terminating: true, phase: "Failed" })]),
      "+[a] -[]",
    ],
    [
      "are only one on a node: the oldest",
      view(daemonSet(), [node("a")], [onNode("p", "a", { age: 5 }), onNode("q", "a", { age: 9 })]),
      "+[] -[p]",
    ],
    [
      "go from nodes that are not meant any more",
      view(daemonSet({}, { nodeSelector: { x: "y" } }), [node("a")], [onNode("p", "a")]),
      "+[] -[p]",
    ],
    [
      "stay on nodes that got a taint",
      view(daemonSet(), [node("a", [taint("NoSchedule")])], [onNode("p", "a")]),
      "+[] -[]",
    ],
    [
      "are replaced when they have failed",
      view(daemonSet(), [node("a")], [onNode("p", "a", { phase: "Failed" })]),
      "+[] -[p]",
    ],
    [
      "are replaced when they have ended",
      view(daemonSet(), [node("a")], [onNode("p", "a", { phase: "Succeeded" })]),
      "+[] -[p]",
    ],
    [
      "are not replaced while they fail too often",
      view(daemonSet(), [node("a")], [onNode("p", "a", { phase: "Failed" })], 500),
      "+[] -[]",
    ],
    [
      "may be two while an update surges: until the new one is available",
      view(daemonSet(surge), [node("a")], [onNode("old", "a", ready), onNode("new", "a")]),
      "+[] -[]",
    ],
    [
      "are one again when the new one is available",
      view(daemonSet(surge), [node("a")], [onNode("old", "a", ready), onNode("new", "a", ready)]),
      "+[] -[old]",
    ],
    [
      "are one again when the old one does not work",
      view(daemonSet(surge), [node("a")], [onNode("old", "a"), onNode("new", "a")]),
      "+[] -[old]",
    ],
    [
      "are made beside one that goes, where they may surge",
      view(daemonSet(surge), [node("a")], [onNode("p", "a", { terminating: true })]),
      "+[a] -[]",
    ],
  ];
  it.each(cases)("%s", (_name, of, expected) => {
    expect(told(planDaemonSet(of))).toBe(expected);
  });
  it("that wait for a node that is gone go", () => {
    const waiting = onNode("p", "");
    const affinity = podOfDaemonSet(daemonSet(), "gone", "hash").spec.affinity;
    const lost = { ...waiting, spec: { ...waiting.spec, affinity } };
    expect(told(planDaemonSet(view(daemonSet(), [node("a")], [lost])))).toBe("+[a] -[p]");
  });
  it("say why they are replaced, and when to look again", () => {
    const failed = onNode("p", "a", { phase: "Failed" });
    const { events, replaced } = planDaemonSet(view(daemonSet(), [node("a")], [failed]));
    expect(replaced).toEqual(["a"]);
    expect(events).toEqual([
      {
        type: "Warning",
        reason: "FailedDaemonPod",
        message: "Found failed daemon pod default/p on node a, will try to kill it",
      },
    ]);
    expect(planDaemonSet(view(daemonSet(), [node("a")], [failed], 700)).lookAgainAfter).toBe(700);
  });
});
