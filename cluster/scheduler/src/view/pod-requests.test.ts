import type { Container } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { pod } from "../testing/builders.ts";
import { podRequestsOf } from "./pod-requests.ts";

function asking(cpu: string, more: Partial<Container> = {}): Container {
  return { name: "c", image: "c:1", resources: { requests: { cpu } }, ...more };
}

const started = { name: "main", image: "main:1", imageID: "", ready: true, restartCount: 0 };
const sidecar = { restartPolicy: "Always" };

describe("what a pod asks for", () => {
  it.each<[string, readonly Container[], readonly Container[], number]>([
    ["is the sum of its containers", [asking("1"), asking("500m")], [], 1500],
    [
      "is what an init container asks for, where that is more",
      [asking("1")],
      [asking("2"), asking("3")],
      3000,
    ],
    ["is the sum with sidecars", [asking("1")], [asking("1", sidecar)], 2000],
    [
      "counts sidecars beside the init containers after them",
      [asking("1")],
      [asking("2", sidecar), asking("3")],
      5000,
    ],
    [
      "does not count sidecars beside those before them",
      [asking("1")],
      [asking("3"), asking("1", sidecar)],
      3000,
    ],
  ])("%s", (_name, containers, initContainers, cpu) => {
    const subject = pod("p", { spec: { containers: [...containers], initContainers: [...initContainers] } });
    expect(podRequestsOf(subject).requested.cpu).toBe(cpu);
  });

  it("has the overhead on top", () => {
    const subject = pod("p", { requests: { cpu: "1" }, spec: { overhead: { cpu: "250m", memory: "1Mi" } } });
    expect(podRequestsOf(subject).requested).toMatchObject({ cpu: 1250, memory: 2 ** 20 });
  });

  it("is what is said of the pod as a whole, where it is said", () => {
    const spec = { resources: { requests: { cpu: "3" } } };
    const { requested, scored } = podRequestsOf(pod("p", { requests: { cpu: "1", memory: "1Mi" }, spec }));
    expect([requested.cpu, requested.memory, scored.cpu]).toEqual([3000, 2 ** 20, 3000]);
  });

  it.each<[string, string | undefined, number]>([
    ["is the larger of what it has and wants while it is resized", undefined, 2000],
    ["is what it has when its node will never give it more", "Infeasible", 1000],
  ])("%s", (_name, reason, cpu) => {
    const resources = { requests: { cpu: "1" } };
    const conditions = reason === undefined ? [] : [{ type: "PodResizePending", status: "True", reason }];
    const status = {
      containerStatuses: [{ ...started, resources, allocatedResources: { cpu: "1" } }],
      conditions,
    };
    expect(podRequestsOf(pod("p", { requests: { cpu: "2" }, status })).requested.cpu).toBe(cpu);
  });

  it("is assumed for comparing nodes when it is not said, and only then", () => {
    expect(podRequestsOf(pod("p", { requests: { cpu: "1" } })).scored).toMatchObject({
      cpu: 1000,
      memory: 200 * 2 ** 20,
    });
    expect(podRequestsOf(pod("p", { requests: { cpu: "0" } })).scored.cpu).toBe(0);
  });

  it("has whatever else it names", () => {
    const { requested } = podRequestsOf(
      pod("p", { requests: { "ephemeral-storage": "1Ki", "a.b/gpu": "2" } }),
    );
    expect([requested.storage, requested.others.get("a.b/gpu")]).toEqual([1024, 2]);
  });
});
