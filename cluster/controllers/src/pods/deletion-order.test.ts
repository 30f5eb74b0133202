import type { Pod } from "@kedge/machinery/kinds/core/v1";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { now, pod } from "../testing/builders.ts";
import { leastMissedFirst } from "./deletion-order.ts";

const cost = (value: string) => ({ annotations: { "controller.kubernetes.io/pod-deletion-cost": value } });

describe("the order in which pods are given up", () => {
  const pairs: readonly [string, Pod, Pod][] = [
    ["without a node before with one", pod("first", { node: "" }), pod("second", { phase: "Pending" })],
    ["pending before unknown", pod("first", { phase: "Pending" }), pod("second", { phase: "Unknown" })],
    ["unknown before running", pod("first", { phase: "Unknown" }), pod("second", { phase: "Running" })],
    ["not ready before ready", pod("first"), pod("second", { readyFor: 1 })],
    ["cheap before dear", pod("first", cost("-5")), pod("second", cost("5"))],
    [
      "cheap but ready after not ready",
      pod("first", cost("5")),
      pod("second", { readyFor: 9, ...cost("1") }),
    ],
    [
      "ready for a short while before a long one",
      pod("first", { readyFor: 1 }),
      pod("second", { readyFor: 4000 }),
    ],
    ["often restarted before never", pod("first", { restarts: 3 }), pod("second")],
    ["young before old", pod("first", { age: 1 }), pod("second", { age: 9000 })],
    [
      "of about the same age by uid",
      pod("first", { age: 100, uid: "a" }),
      pod("second", { age: 99, uid: "b" }),
    ],
  ];
  it.each(pairs)("%s", (_name, first, second) => {
    for (const pods of [
      [first, second],
      [second, first],
    ]) {
      const order = leastMissedFirst(pods, { related: [], now });
      expect(order.map(({ metadata }) => metadata.name)).toEqual(["first", "second"]);
    }
  });

  it("takes from the node where most pods of the same work are", () => {
    const lonely = pod("lonely", { readyFor: 9, node: "a", uid: "1" });
    const crowded = pod("crowded", { readyFor: 9, node: "b", uid: "2" });
    const related = [
      lonely,
      crowded,
      pod("sibling", { node: "b" }),
      pod("ended", { node: "a", phase: "Failed" }),
    ];
    expect(leastMissedFirst([lonely, crowded], { related, now })[0]).toBe(crowded);
  });

  it("is the same whatever order the pods come in", () => {
    const setup = fc.record({
      phase: fc.constantFrom("Pending", "Running", "Unknown"),
      readyFor: fc.option(fc.nat(5000), { nil: undefined }),
      node: fc.constantFrom("", "a", "b"),
      restarts: fc.nat(3),
      age: fc.nat(5000),
    });
    fc.assert(
      fc.property(fc.array(setup, { maxLength: 8 }), fc.gen(), (setups, chance) => {
        const pods = setups.map((one, index) => pod(`p${index}`, one));
        const shuffled = chance(fc.shuffledSubarray, pods, { minLength: pods.length });
        const view = { related: pods, now };
        expect(leastMissedFirst(shuffled, view)).toEqual(leastMissedFirst(pods, view));
      }),
    );
  });
});
