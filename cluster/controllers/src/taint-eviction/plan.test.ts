import type { Toleration } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { pod } from "../testing/builders.ts";
import { evictingTaints, toleratedMs } from "./plan.ts";

const taint = (key: string, effect = "NoExecute") => ({ key, effect });
const web = (tolerations: readonly Toleration[]) => {
  const plain = pod("web");
  return { ...plain, spec: { ...plain.spec, containers: [], tolerations: [...tolerations] } };
};

describe("toleratedMs", () => {
  it.each<[string, Toleration[], number | undefined]>([
    ["none at all", [], 0],
    ["of another key", [{ key: "b", operator: "Exists" }], 0],
    ["of another effect", [{ key: "a", operator: "Exists", effect: "NoSchedule" }], 0],
    ["for ever", [{ key: "a", operator: "Exists" }], undefined],
    ["of everything", [{ operator: "Exists" }], undefined],
    ["for a while", [{ key: "a", operator: "Exists", tolerationSeconds: 30 }], 30_000],
    [
      "for two different whiles",
      [
        { key: "a", operator: "Exists", tolerationSeconds: 30 },
        { operator: "Exists", tolerationSeconds: 5 },
      ],
      5000,
    ],
    ["for less than no time", [{ key: "a", operator: "Exists", tolerationSeconds: -1 }], 0],
  ])("with a toleration %s", (_title, tolerations, expected) => {
    expect(toleratedMs(web(tolerations), [taint("a")])).toBe(expected);
  });

  it("every taint needs one", () => {
    const some = [{ key: "a", operator: "Exists" }];
    expect(toleratedMs(web(some), [taint("a"), taint("b")])).toBe(0);
  });
});

it("only taints with NoExecute send pods away", () => {
  const node = { spec: { taints: [taint("a", "NoSchedule"), taint("b"), taint("c", "PreferNoSchedule")] } };
  const metadata = { name: "node-1" } as never;
  expect(evictingTaints({ apiVersion: "v1", kind: "Node", metadata, ...node })).toEqual([taint("b")]);
  expect(evictingTaints(undefined)).toEqual([]);
});
