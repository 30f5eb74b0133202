import { uid } from "@kedge/machinery";
import type { PodSpec } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import type { ApiPod } from "../model/types.ts";
import { containerNamed, podOf } from "../testing/pods.ts";
import { refusalUnder } from "./admission.ts";
import { evictionMessage } from "./eviction-message.ts";
import { memorySupply, processSupply } from "./machine-supplies.ts";
import { pressuresAt, seenNow } from "./pressure.ts";
import { rankPods, type PodWithUse } from "./rank-pods.ts";
import { checkThresholds, shortagesIn, usualThresholds } from "./thresholds.ts";
import type { PressureCondition } from "./types.ts";

const mebi = 1024 * 1024;

describe("thresholds", () => {
  it("are passed when less is left than the quantity, or than the part of the capacity", () => {
    const supplies = {
      "memory.available": { available: 100 * mebi, capacity: 1000 * mebi },
      "nodefs.available": { available: 9, capacity: 100 },
      "imagefs.available": { available: 15, capacity: 100 },
      "pid.available": { available: 0, capacity: 100 },
    };
    expect(shortagesIn(supplies, usualThresholds)).toEqual([
      { signal: "nodefs.available", least: 10, supply: { available: 9, capacity: 100 } },
    ]);
    const thresholds = { ...usualThresholds, "memory.available": "101Mi", "pid.available": "1" };
    expect(shortagesIn(supplies, thresholds).map(({ signal }) => signal)).toEqual([
      "memory.available",
      "nodefs.available",
      "pid.available",
    ]);
  });

  it.each<[Readonly<Record<string, string>>, RegExp]>([
    [{ "memory.available": "-1" }, /memory\.available=-1: must be a quantity/u],
    [{ "nodefs.available": "101%" }, /nodefs\.available=101%: must be/u],
    [{ "nodefs.available": "x%" }, /nodefs\.available=x%: must be/u],
    [{ "disk.available": "1" }, /disk\.available: must be one of memory\.available/u],
  ])("%j is refused", (thresholds, complaint) => {
    expect(() => checkThresholds(thresholds)).toThrow(complaint);
  });
});

describe("conditions", () => {
  const shortage = { signal: "nodefs.inodesFree", least: 2, supply: { available: 1, capacity: 9 } } as const;

  it("stay for a while after their cause has gone", () => {
    const seen = seenNow(new Map(), [shortage], 1000);
    expect([...pressuresAt(seen, 1000, 5000)]).toEqual(["DiskPressure"]);
    expect([...pressuresAt(seenNow(seen, [], 5999), 5999, 5000)]).toEqual(["DiskPressure"]);
    expect([...pressuresAt(seen, 6000, 5000)]).toEqual([]);
  });

  it("hold while their cause is there, however short that while is", () => {
    expect([...pressuresAt(seenNow(new Map(), [shortage], 1000), 1000, 0)]).toEqual(["DiskPressure"]);
  });
});

function using(name: string, spec: Partial<PodSpec>, use: Partial<PodWithUse["use"]>): PodWithUse {
  const pod = podOf({ metadata: { name, uid: uid(name) }, spec });
  return { pod, use: { memory: new Map(), disk: new Map(), volumes: 0, inodes: 0, processes: 0, ...use } };
}

const requesting = (memory: string, more: Partial<PodSpec> = {}): Partial<PodSpec> => ({
  containers: [containerNamed("app", { resources: { requests: { memory } } })],
  ...more,
});

function names(pods: readonly ApiPod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.name);
}

describe("who goes first", () => {
  const uses = (bytes: number) => ({ memory: new Map([["app", bytes * mebi]]) });

  it("is who uses more memory than it asked for, then the less important, then who is furthest beyond", () => {
    const pods = [
      using("within, unimportant", requesting("10Mi", { priority: -5 }), uses(10)),
      using("beyond, important", requesting("10Mi", { priority: 10 }), uses(100)),
      using("a little beyond", requesting("10Mi"), uses(11)),
      using("asked for nothing", {}, uses(20)),
      using("within", requesting("100Mi"), uses(90)),
    ];
    expect(names(rankPods("memory", pods))).toEqual([
      "asked for nothing",
      "a little beyond",
      "beyond, important",
      "within, unimportant",
      "within",
    ]);
  });

  it("is of processes the less important, then who has the most", () => {
    const pods = [
      using("few", {}, { processes: 3 }),
      using("many, important", { priority: 1 }, { processes: 300 }),
      using("many", {}, { processes: 30 }),
    ];
    expect(names(rankPods("pids", pods))).toEqual(["many", "few", "many, important"]);
  });

  it("is of the disk who has the most in volumes, layers and logs together", () => {
    const pods = [
      using("layers", {}, { disk: new Map([["app", 5]]), volumes: 1 }),
      using("volumes", {}, { disk: new Map([["app", 1]]), volumes: 6 }),
    ];
    expect(names(rankPods("ephemeral-storage", pods))).toEqual(["volumes", "layers"]);
  });
});

describe("what is said", () => {
  it("names the threshold, what is left, and the containers beyond their requests", () => {
    const least = 100 * mebi;
    const supply = { available: 99 * mebi, capacity: 1000 * mebi };
    const pod = using("web", requesting("10Mi"), { memory: new Map([["app", 20 * mebi]]) });
    expect(evictionMessage({ signal: "memory.available", least, supply }, pod)).toBe(
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 99Mi. Container app was using 20Mi, request is 10Mi, has larger consumption of memory. ",
    );
  });

  it("counts processes one by one", () => {
    const supply = { available: 40, capacity: 1000 };
    expect(evictionMessage({ signal: "pid.available", least: 50, supply }, using("web", {}, {}))).toBe(
      "The node was low on resource: pids. Threshold quantity: 50, available: 40. ",
    );
  });
});

describe("a pod that comes to a node under pressure", () => {
  const memory = new Set<PressureCondition>(["MemoryPressure"]);
  const both = new Set<PressureCondition>(["DiskPressure", "MemoryPressure"]);
  const status = (qosClass: string) => ({ status: { phase: "Pending", qosClass } });
  const tolerations = [{ key: "node.kubernetes.io/memory-pressure", operator: "Exists" }];

  it.each<[string, ReadonlySet<PressureCondition>, ApiPod, string | undefined]>([
    ["is taken when there is none", new Set(), podOf(), undefined],
    [
      "is not taken when it asks for nothing and memory is short",
      memory,
      podOf(),
      "The node had condition: [MemoryPressure]. ",
    ],
    ["is taken when it asks for memory that is short", memory, podOf(status("Burstable")), undefined],
    ["is taken when it tolerates that", memory, podOf({ spec: { tolerations } }), undefined],
    [
      "is not taken when anything else is short, whatever it asks for",
      both,
      podOf({ ...status("Guaranteed"), spec: { tolerations } }),
      "The node had condition: [DiskPressure MemoryPressure]. ",
    ],
    ["is taken when the system needs it", both, podOf({ spec: { priority: 2_000_000_000 } }), undefined],
  ])("%s", (_, pressures, pod, refusal) => {
    expect(refusalUnder(pressures, pod)).toBe(refusal);
  });
});

it("the machine says what it has left", () => {
  expect(memorySupply("MemTotal:       8 kB\nMemFree:  1 kB\nMemAvailable:    4 kB\n")).toEqual({
    available: 4096,
    capacity: 8192,
  });
  expect(processSupply("0.10 0.20 0.30 2/345 6789\n", 1000)).toEqual({ available: 655, capacity: 1000 });
});
