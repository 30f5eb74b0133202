import type { NodeSpec, Taint } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { ago, node, now } from "../testing/builders.ts";
import { missingLabels } from "./labels.ts";
import { evictingTaintKey, hasEvictingTaint, withConditionTaints, withEvictingTaint } from "./taints.ts";

const taint = (name: string, effect = "NoSchedule"): Taint => ({ key: `node.kubernetes.io/${name}`, effect });
const shown = (taints: readonly Taint[]) =>
  taints.map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`);

describe("taints with NoSchedule follow the conditions", () => {
  it.each<[string, readonly [string, string][], NodeSpec, readonly string[]]>([
    [
      "a ready node has none",
      [["Ready", "True"]],
      { taints: [taint("not-ready"), taint("unreachable")] },
      [],
    ],
    ["a node that is not ready", [["Ready", "False"]], {}, ["not-ready:NoSchedule"]],
    [
      "a silent node, not ready before",
      [["Ready", "Unknown"]],
      { taints: [taint("not-ready")] },
      ["unreachable:NoSchedule"],
    ],
    ["a node without conditions has none", [], { taints: [taint("not-ready")] }, []],
    ["a cordoned node", [["Ready", "True"]], { unschedulable: true }, ["unschedulable:NoSchedule"]],
    ["a node that is cordoned no more", [["Ready", "True"]], { taints: [taint("unschedulable")] }, []],
    [
      "a node that is short of everything",
      [
        ["MemoryPressure", "True"],
        ["DiskPressure", "True"],
        ["PIDPressure", "True"],
        ["NetworkUnavailable", "True"],
      ],
      {},
      [
        "memory-pressure:NoSchedule",
        "disk-pressure:NoSchedule",
        "pid-pressure:NoSchedule",
        "network-unavailable:NoSchedule",
      ],
    ],
    [
      "taints of others and with other effects stay",
      [["Ready", "True"]],
      { taints: [taint("unreachable", "NoExecute"), { key: "team", effect: "NoSchedule" }] },
      ["unreachable:NoExecute", "team:NoSchedule"],
    ],
  ])("%s", (_title, conditions, spec, expected) => {
    const status = { conditions: conditions.map(([type, is]) => ({ type, status: is })) };
    expect(shown(withConditionTaints(node("node-1", undefined, { spec, status }), now))).toEqual(expected);
  });

  it("what is as it should be is the very same list, and a new one has its time", () => {
    const spec = { taints: [taint("not-ready")] };
    expect(withConditionTaints(node("node-1", "False", { spec }), now)).toBe(spec.taints);
    const [added] = withConditionTaints(node("node-1", "Unknown"), now);
    expect(added?.timeAdded).toBe(ago(0));
  });
});

describe("taints with NoExecute", () => {
  const team = { key: "team", effect: "NoExecute" };
  it.each<[string, readonly Taint[], string | undefined, readonly string[]]>([
    ["a node that is not ready gets one", [team], "False", ["team:NoExecute", "not-ready:NoExecute"]],
    [
      "one becomes the other",
      [taint("not-ready", "NoExecute"), team],
      "Unknown",
      ["team:NoExecute", "unreachable:NoExecute"],
    ],
    ["a ready node has none", [taint("unreachable", "NoExecute"), team], "True", ["team:NoExecute"]],
  ])("%s", (_title, taints, ready, expected) => {
    expect(shown(withEvictingTaint(taints, evictingTaintKey(ready), now))).toEqual(expected);
  });

  it("are known by key and effect", () => {
    const has = (taints: Taint[]) => hasEvictingTaint(node("node-1", "True", { spec: { taints } }));
    expect([has([team]), has([taint("not-ready")]), has([taint("not-ready", "NoExecute")])]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

it("old names of labels say what the new ones say", () => {
  const labelled = (labels: Record<string, string>) => {
    const plain = node("node-1");
    return missingLabels({ ...plain, metadata: { ...plain.metadata, labels } });
  };
  expect(
    labelled({
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "amd64",
      "beta.kubernetes.io/arch": "arm",
    }),
  ).toEqual({
    "beta.kubernetes.io/os": "linux",
    "beta.kubernetes.io/arch": "amd64",
  });
  expect(labelled({ "beta.kubernetes.io/os": "linux" })).toEqual({});
});
