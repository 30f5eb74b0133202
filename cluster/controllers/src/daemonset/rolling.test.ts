import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { daemonSet, node, onNode, ready, three, told, view } from "../testing/daemon-builders.ts";
import { planUpdate } from "./rolling.ts";

describe("an update of a daemon set", () => {
  const old = ["a", "b", "c"].map((name) => onNode(`old-${name}`, name, ready));
  const [oldA, oldB, oldC] = old as [Pod, Pod, Pod];
  const rolling = (
    maxUnavailable: number | string,
    maxSurge: number | string = 0,
    more: Partial<DaemonSet["spec"]> = {},
  ) =>
    daemonSet({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } },
      ...more,
    });
  const cases: readonly [string, DaemonSet, readonly Pod[], string][] = [
    ["takes one at a time", rolling(1), old, "+[] -[old-a]"],
    ["takes as many as may be missing", rolling(2), old, "+[] -[old-a old-b]"],
    ["takes a part of all, rounded up", rolling("34%"), old, "+[] -[old-a old-b]"],
    ["waits for the new one", rolling(1), [onNode("new", "a"), oldB, oldC], "+[] -[]"],
    [
      "goes on when the new one is available",
      rolling(1),
      [onNode("new", "a", ready), oldB, oldC],
      "+[] -[old-b]",
    ],
    [
      "waits until it has been ready for long enough",
      rolling(1, 0, { minReadySeconds: 90 }),
      [onNode("new", "a", ready), { ...oldB, status: onNode("x", "b", { readyFor: 99 }).status }],
      "+[] -[]",
    ],
    ["waits for the node that has none", rolling(1), [oldB, oldC], "+[] -[]"],
    [
      "takes those that do not work first, and at once",
      rolling(1),
      [onNode("old-x", "a"), oldB, onNode("old-y", "c")],
      "+[] -[old-x old-y]",
    ],
    [
      "does nothing when all are new",
      rolling(1),
      ["a", "b", "c"].map((name) => onNode(`new-${name}`, name, ready)),
      "+[] -[]",
    ],
    ["adds one at a time, where it surges", rolling(0, 1), old, "+[a] -[]"],
    ["waits for the one that was added", rolling(0, 1), [...old, onNode("new", "a")], "+[] -[]"],
    [
      "takes the old one when the added one is available",
      rolling(0, 1),
      [...old, onNode("new", "a", ready)],
      "+[b] -[old-a]",
    ],
    [
      "adds to those that do not work at once",
      rolling(0, 1),
      [onNode("old-x", "a"), onNode("old-y", "b"), oldC],
      "+[a b c] -[]",
    ],
    ["leaves it to the user to delete", daemonSet({ updateStrategy: { type: "OnDelete" } }), old, "+[] -[]"],
  ];
  it.each(cases)("%s", (_name, of, pods, expected) => {
    expect(told(planUpdate(view(of, three, pods)))).toBe(expected);
  });
  it("that moves to other nodes keeps pods until there are enough", () => {
    const of = { ...rolling(0, 1), spec: { ...rolling(0, 1).spec } };
    of.spec.template = {
      ...of.spec.template,
      spec: { ...of.spec.template.spec, containers: [], nodeSelector: { new: "yes" } },
    };
    const nodes = [node("a"), node("b", [], { new: "yes" })];
    expect(told(planUpdate(view(of, nodes, [oldA])))).toBe("+[] -[]");
    expect(told(planUpdate(view(of, nodes, [oldA, onNode("new", "b", ready)])))).toBe("+[] -[old-a]");
  });
});
