import { expect, it } from "vitest";
import { bareNode } from "../cluster-event.ts";
import { node } from "../testing/builders.ts";
import { isRefusedBy } from "./taints.ts";

it("taints that keep pods away need a toleration, those that only warn do not", () => {
  const taints = [
    { key: "x", effect: "PreferNoSchedule" },
    { key: "a", value: "b", effect: "NoSchedule" },
  ];
  const tainted = bareNode(node("n", { spec: { taints } }));
  expect(isRefusedBy(tainted, [])).toBe(true);
  expect(isRefusedBy(tainted, [{ key: "a", operator: "Exists" }])).toBe(false);
});
