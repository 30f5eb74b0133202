import type { Container } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { PodBench } from "../testing/pod-bench.ts";
import { containerNamed, podOf } from "../testing/pods.ts";
import { roomBeside } from "./node-room.ts";

const mebi = 1024 * 1024;

function sized(cpu: string, memory = "64Mi", more: Partial<Container> = {}): Container {
  return containerNamed("app", {
    resources: { limits: { cpu, memory }, requests: { cpu, memory } },
    ...more,
  });
}

function condition(bench: PodBench, type: string): unknown {
  return bench.pod.status?.conditions?.find((one) => one.type === type);
}

function resize(bench: PodBench, container: Container): void {
  bench.change((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, generation: (pod.metadata.generation ?? 0) + 1 },
    spec: { ...pod.spec, containers: [container] },
  }));
}

const eventsOf = (bench: PodBench): readonly string[] =>
  bench.events.filter((event) => event.includes("Resize")).map((event) => event.split(" ")[1] ?? "");

describe("a container that is to have other resources", () => {
  it("gets them while it runs, and its status says which it has", async () => {
    await using bench = await PodBench.open(podOf({ spec: { containers: [sized("1")] } }));
    await bench.start();
    await bench.clock.advance(1000);
    const [before] = await bench.runtime.list();
    resize(bench, sized("2", "128Mi"));
    await bench.clock.advance(1000);
    const [after] = await bench.runtime.list();
    expect(after?.id).toBe(before?.id);
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      {
        restartCount: 0,
        allocatedResources: { cpu: "2", memory: "128Mi" },
        resources: { limits: { cpu: "2", memory: "128Mi" } },
      },
    ]);
    expect([condition(bench, "PodResizePending"), condition(bench, "PodResizeInProgress")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(eventsOf(bench)).toEqual(["ResizeStarted", "ResizeCompleted"]);
    expect(bench.events.at(-1)).toContain(
      'Pod resize completed: {"containers":[{"name":"app","resources":{"limits":{"cpu":"2","memory":"128Mi"}',
    );
  });

  it("has them still when the agent starts again", async () => {
    await using bench = await PodBench.open(podOf({ spec: { containers: [sized("1")] } }));
    await bench.start();
    await bench.clock.advance(1000);
    resize(bench, sized("2"));
    await bench.clock.advance(1000);
    await bench.stop();
    await bench.start();
    await bench.clock.advance(1000);
    expect(eventsOf(bench)).toEqual(["ResizeStarted", "ResizeCompleted"]);
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      { restartCount: 0, resources: { limits: { cpu: "2" } } },
    ]);
  });

  it("starts again where its policy wants that for what has changed, and only then", async () => {
    const resizePolicy = [{ resourceName: "memory", restartPolicy: "RestartContainer" }];
    await using bench = await PodBench.open(
      podOf({ spec: { containers: [sized("1", "64Mi", { resizePolicy })] } }),
    );
    await bench.start();
    await bench.clock.advance(1000);
    resize(bench, sized("2", "64Mi", { resizePolicy }));
    await bench.clock.advance(1000);
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      { restartCount: 0, allocatedResources: { cpu: "2" } },
    ]);
    resize(bench, sized("2", "128Mi", { resizePolicy }));
    await bench.clock.advance(20_000);
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      {
        restartCount: 1,
        allocatedResources: { memory: "128Mi" },
        resources: { limits: { memory: "128Mi" } },
      },
    ]);
    expect(
      bench.events.some((event) => event.endsWith("Killing Container app resize requires restart")),
    ).toBe(true);
    expect(condition(bench, "PodResizeInProgress")).toBeUndefined();
  });

  it("waits while the node has no room for it beside other pods", async () => {
    let used = 1500;
    const room = () => ({ cpu: { used, capacity: 4000 }, memory: { used: 0, capacity: 1000 * mebi } });
    await using bench = await PodBench.open(podOf({ spec: { containers: [sized("1")] } }));
    await bench.start({ room });
    await bench.clock.advance(1000);
    resize(bench, sized("3"));
    await bench.clock.advance(1000);
    expect(condition(bench, "PodResizePending")).toMatchObject({
      status: "True",
      reason: "Deferred",
      message: "Node didn't have enough resource: cpu, requested: 3000, used: 1500, capacity: 4000",
      observedGeneration: 2,
    });
    expect(bench.pod.status?.containerStatuses).toMatchObject([{ allocatedResources: { cpu: "1" } }]);
    used = 1000;
    await bench.clock.advance(61_000);
    expect(condition(bench, "PodResizePending")).toBeUndefined();
    expect(bench.pod.status?.containerStatuses).toMatchObject([{ allocatedResources: { cpu: "3" } }]);
    expect(eventsOf(bench)).toEqual(["ResizeDeferred", "ResizeStarted", "ResizeCompleted"]);
  });

  it("is not given less memory than it uses, and says so until it can be", async () => {
    let memoryBytes = 100 * mebi;
    const lifeOf = () => ({
      get memoryBytes() {
        return memoryBytes;
      },
    });
    await using bench = await PodBench.open(podOf({ spec: { containers: [sized("1", "128Mi")] } }), {
      lifeOf,
    });
    await bench.start();
    await bench.clock.advance(1000);
    resize(bench, sized("1", "64Mi"));
    await bench.clock.advance(1000);
    expect(condition(bench, "PodResizeInProgress")).toMatchObject({
      status: "True",
      reason: "Error",
      message: `cannot decrease memory limits: attempting to set container "app" memory limit (${64 * mebi}) below current usage (${100 * mebi})`,
    });
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      { resources: { limits: { memory: "128Mi" } } },
    ]);
    memoryBytes = 10 * mebi;
    await bench.clock.advance(61_000);
    expect(condition(bench, "PodResizeInProgress")).toBeUndefined();
    expect(bench.pod.status?.containerStatuses).toMatchObject([
      { resources: { limits: { memory: "64Mi" } } },
    ]);
  });
});

it("a node counts what its pods have been given, not what they wish for", () => {
  const status = {
    phase: "Running",
    containerStatuses: [{ ...statusOf("app"), allocatedResources: { cpu: "1", memory: "64Mi" } }],
  };
  const pod = podOf({ spec: { containers: [sized("3", "640Mi")] }, status });
  const allocatable = { cpu: "4", memory: "1Gi" };
  expect(roomBeside([{ pod, isDeferred: true }], allocatable)).toEqual({
    cpu: { used: 1000, capacity: 4000 },
    memory: { used: 64 * mebi, capacity: 1024 * mebi },
  });
  const done = podOf({ spec: { containers: [sized("1")] }, status: { phase: "Succeeded" } });
  expect(
    roomBeside(
      [
        { pod, isDeferred: false },
        { pod: done, isDeferred: false },
      ],
      allocatable,
    ).cpu.used,
  ).toBe(3000);
});

function statusOf(name: string) {
  return { name, ready: true, image: "app:1", imageID: "", restartCount: 0 };
}
