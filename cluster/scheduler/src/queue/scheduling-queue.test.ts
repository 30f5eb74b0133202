import { VirtualClock } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { bareNode, type ClusterEvent } from "../cluster-event.ts";
import type { FilterName } from "../filters/types.ts";
import { defaultProfile } from "../profile.ts";
import { node, pod, type PodSetup } from "../testing/builders.ts";
import { podInfoOf } from "../view/pod-info.ts";
import type { QueuedPod } from "./queued-pod.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

interface Laboratory {
  readonly clock: VirtualClock;
  readonly queue: SchedulingQueue;
  /** Adds a pod, or changes it. */
  readonly put: (name: string, setup?: PodSetup) => void;
  /** Names of all that can be taken now, in their order. They are not in the queue then. */
  readonly takeAll: () => readonly string[];
  /** Takes one that must be there, and refuses it. */
  readonly refuse: (name: string, ...rejectors: FilterName[]) => QueuedPod;
}

function laboratory(): Laboratory {
  const clock = new VirtualClock();
  const context = { profile: defaultProfile, namespaceLabels: () => ({}) };
  const queue = new SchedulingQueue({
    clock,
    mayHelp: (filter, event, info) => filter.mayHelp(event, info, context),
    onReady: () => undefined,
  });
  const take = (name: string): QueuedPod => {
    const queued = queue.take();
    if (queued?.info.pod.metadata.name !== name) throw new Error(`${name} is not the next`);
    return queued;
  };
  return {
    clock,
    queue,
    put: (name, setup) => queue.put(podInfoOf(pod(name, setup))),
    takeAll: () => {
      const names: string[] = [];
      for (let next = queue.take(); next !== undefined; next = queue.take()) {
        names.push(next.info.pod.metadata.name);
      }
      return names;
    },
    refuse(name, ...rejectors) {
      const queued = take(name);
      queue.refused(queued, new Set(rejectors));
      return queued;
    },
  };
}

const important = { spec: { priority: 1000 } };
const asks = { requests: { cpu: "1" } };
const gone = (setup: PodSetup = {}): ClusterEvent => ({
  type: "pod-removed",
  pod: podInfoOf(pod("gone", setup)),
});

describe("the next pod", () => {
  it("is the most important, then the one that came first", () => {
    const { put, takeAll } = laboratory();
    put("first");
    put("second");
    put("important", important);
    put("less", { spec: { priority: 10 } });
    expect(takeAll()).toEqual(["important", "less", "first", "second"]);
  });

  it("is none that went, and each only once however often it changed", () => {
    const { queue, put, takeAll } = laboratory();
    put("a");
    put("b");
    put("a", { labels: { changed: "yes" } });
    queue.delete(pod("b").metadata.uid);
    expect(takeAll()).toEqual(["a"]);
  });

  it("is none behind gates, until they are opened", () => {
    const { queue, put, takeAll } = laboratory();
    put("gated", { spec: { schedulingGates: [{ name: "wait" }] } });
    expect([takeAll(), queue.sizes.gated]).toEqual([[], 1]);
    put("gated");
    expect([takeAll(), queue.sizes.gated]).toEqual([["gated"], 0]);
  });
});

describe("a pod that was refused", () => {
  it("is tried again when something happens that may help it, and not for anything else", () => {
    const { queue, put, refuse, takeAll } = laboratory();
    put("p", asks);
    refuse("p", "NodeResourcesFit");
    queue.wake({
      type: "class-added",
      storageClass: { ...node("c"), kind: "StorageClass", provisioner: "x" },
    });
    queue.wake({ type: "node-added", node: bareNode(node("small", { allocatable: { cpu: "500m" } })) });
    expect(takeAll()).toEqual([]);
    queue.wake({ type: "node-added", node: bareNode(node("large")) });
    expect(takeAll()).toEqual(["p"]);
  });

  it("waits longer each time while others are to be tried", async () => {
    const { clock, queue, put, refuse } = laboratory();
    const pauses: number[] = [];
    put("p", asks);
    for (let attempt = 0; attempt < 6; attempt++) {
      refuse("p", "NodeResourcesFit");
      const began = clock.monotonic();
      queue.wake(gone());
      // Something else to be done keeps it in its pause.
      for (let step = 0; step < 200 && queue.sizes.active === 0; step++) await clock.advance(100);
      pauses.push(clock.monotonic() - began);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it("is tried at once when there is nothing else to be done", () => {
    const { queue, put, refuse, takeAll } = laboratory();
    put("p", asks);
    refuse("p", "NodeResourcesFit");
    queue.wake(gone());
    expect([queue.sizes.backoff, takeAll()]).toEqual([1, ["p"]]);
  });

  it("is tried again after five minutes whatever happens", async () => {
    const { clock, put, refuse, takeAll } = laboratory();
    put("p", asks);
    refuse("p", "NodeResourcesFit");
    await clock.advance(299_000);
    expect(takeAll()).toEqual([]);
    await clock.advance(1000);
    expect(takeAll()).toEqual(["p"]);
  });

  it.each<[string, Pod["spec"] | undefined, Record<string, string>, readonly string[]]>([
    ["its status changed", undefined, {}, []],
    ["a label changed that nobody looks at", undefined, { a: "b" }, []],
    ["it tolerates more", { ...pod("p").spec, tolerations: [{ operator: "Exists" }] }, {}, ["p"]],
  ])("is looked at again when %s: or not", (_name, spec, labels, expected) => {
    const { put, refuse, takeAll } = laboratory();
    put("p", { labels: {} });
    refuse("p", "TaintToleration");
    put("p", { labels, ...(spec !== undefined && { spec }), status: { phase: "Pending", message: "new" } });
    expect(takeAll()).toEqual(expected);
  });

  it("stays aside while others are made to leave for it, and comes when they left meanwhile", () => {
    const { queue, put, refuse, takeAll } = laboratory();
    put("p", asks);
    const { uid } = refuse("p", "NodeResourcesFit");
    queue.hold(uid);
    queue.wake(gone());
    expect(takeAll()).toEqual([]);
    queue.release(uid, "told");
    expect(takeAll()).toEqual(["p"]);
  });

  it("comes back when others could not be made to leave", () => {
    const { queue, put, refuse, takeAll } = laboratory();
    put("p", asks);
    const { uid } = refuse("p", "NodeResourcesFit");
    queue.hold(uid);
    queue.release(uid, "failed");
    expect(takeAll()).toEqual(["p"]);
  });

  it("for lack of any node is woken by anything", () => {
    const { queue, put, refuse, takeAll } = laboratory();
    put("p");
    refuse("p");
    queue.wake(gone());
    expect(takeAll()).toEqual(["p"]);
  });
});

it("after an error the pause is kept, even when there is nothing else to be done", async () => {
  const { clock, queue, put, takeAll } = laboratory();
  put("p");
  const queued = queue.take();
  if (queued === undefined) throw new Error("p is not there");
  queue.failed(queued);
  expect(takeAll()).toEqual([]);
  await clock.advance(1000);
  expect(takeAll()).toEqual(["p"]);
});
