import { describe, expect, it } from "vitest";
import { node } from "../testing/builders.ts";
import { defaultNodeLifecycle } from "./options.ts";
import { TaintQueue } from "./taint-queue.ts";
import { judgeZones, zoneOf, type ZoneState } from "./zones.ts";

type Zones = Readonly<Record<string, readonly [before: ZoneState, ready: number, notReady: number]>>;

function judged(zones: Zones) {
  const before = new Map(Object.entries(zones).map(([zone, [state]]) => [zone, state] as const));
  const counts = new Map(
    Object.entries(zones).map(([zone, [, ready, notReady]]) => [zone, { ready, notReady }] as const),
  );
  const { states, rates, allDisrupted } = judgeZones(before, counts, defaultNodeLifecycle);
  return { states: Object.fromEntries(states), rates: Object.fromEntries(rates), allDisrupted };
}

describe("zones", () => {
  it.each<[string, Zones, ReturnType<typeof judged>]>([
    [
      "a new zone gets the usual rate",
      { a: ["initial", 3, 0] },
      { states: { a: "normal" }, rates: { a: 0.1 }, allDisrupted: undefined },
    ],
    [
      "two that are not ready are no disruption",
      { a: ["normal", 1, 2] },
      { states: { a: "normal" }, rates: {}, allDisrupted: undefined },
    ],
    [
      "most not ready stops a small zone",
      { a: ["normal", 2, 3] },
      { states: { a: "partial" }, rates: { a: 0 }, allDisrupted: undefined },
    ],
    [
      "most not ready slows a large zone",
      { a: ["normal", 20, 31] },
      { states: { a: "partial" }, rates: { a: 0.01 }, allDisrupted: undefined },
    ],
    [
      "a zone that is gone beside one that works is evicted as usual",
      { a: ["normal", 0, 3], b: ["normal", 1, 0] },
      { states: { a: "full", b: "normal" }, rates: { a: 0.1 }, allDisrupted: undefined },
    ],
    [
      "when all zones are gone nothing is evicted",
      { a: ["normal", 0, 3], b: ["full", 0, 1] },
      { states: { a: "full", b: "full" }, rates: { a: 0, b: 0 }, allDisrupted: "enter" },
    ],
    ["that lasts", { a: ["full", 0, 3] }, { states: { a: "full" }, rates: {}, allDisrupted: undefined }],
    [
      "until one comes back, and then each gets its rate",
      { a: ["full", 1, 2], b: ["full", 0, 1] },
      { states: { a: "normal", b: "full" }, rates: { a: 0.1, b: 0.1 }, allDisrupted: "leave" },
    ],
    ["without nodes nothing happens", {}, { states: {}, rates: {}, allDisrupted: undefined }],
  ])("%s", (_title, zones, expected) => {
    expect(judged(zones)).toEqual(expected);
  });

  it("are told by the labels, the old ones first", () => {
    const zone = (labels: Record<string, string>) => {
      const plain = node("node-1");
      return zoneOf({ ...plain, metadata: { ...plain.metadata, labels } });
    };
    const old = { "failure-domain.beta.kubernetes.io/zone": "old" };
    expect(zone({ "topology.kubernetes.io/zone": "new", "topology.kubernetes.io/region": "r" })).toBe(
      "r/new",
    );
    expect(zone({ "topology.kubernetes.io/zone": "new", ...old })).toBe("/old");
    expect(zone({})).toBe("");
  });
});

describe("nodes that wait for a taint", () => {
  it("go one at a time in each zone, in the order in which they came", () => {
    const queue = new TaintQueue(0.1);
    for (const name of ["a1", "a2", "b1"]) queue.add(name, name.slice(0, 1));
    expect(queue.take(1_000)).toEqual(["a1", "b1"]);
    expect(queue.take(1_000)).toEqual([]);
    expect(queue.next).toBe(11_000);
    expect(queue.take(11_000)).toEqual(["a2"]);
    expect(queue.next).toBe(Infinity);
  });

  it("stay while the rate is 0, and wait their time when it is not any more", () => {
    const queue = new TaintQueue(0.1);
    queue.add("a1", "a");
    queue.changeRate("a", 0, 0);
    expect([queue.take(1e9), queue.next]).toEqual([[], Infinity]);
    queue.changeRate("a", 0.01, 1_000);
    expect([queue.take(1_000), queue.next]).toEqual([[], 101_000]);
    queue.remove("a1");
    expect(queue.take(101_000)).toEqual([]);
  });
});
