import { quantityToString } from "@kedge/machinery";
import type { Container } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { requestsOf, scoringRequestsOf, type Amounts } from "./requests.ts";
import { pod } from "./testing/builders.ts";

function text(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, quantityToString(amount)]));
}

function asking(cpu: string, more: Partial<Container> = {}): Container {
  return { name: "c", image: "c:1", resources: { requests: { cpu } }, ...more };
}

const sidecar = { restartPolicy: "Always" };

describe("what a pod asks for", () => {
  it.each<[string, readonly Container[], readonly Container[], string]>([
    ["is the sum of its containers", [asking("1"), asking("500m")], [], "1500m"],
    [
      "is what an init container asks for, where that is more",
      [asking("1")],
      [asking("2"), asking("3")],
      "3",
    ],
    ["is the sum with sidecars", [asking("1")], [asking("1", sidecar)], "2"],
    [
      "counts sidecars beside the init containers after them",
      [asking("1")],
      [asking("2", sidecar), asking("3")],
      "5",
    ],
    [
      "does not count sidecars beside those before them",
      [asking("1")],
      [asking("3"), asking("1", sidecar)],
      "3",
    ],
  ])("%s", (_name, containers, initContainers, cpu) => {
    const subject = pod("p", { spec: { containers: [...containers], initContainers: [...initContainers] } });
    expect(text(requestsOf(subject))).toEqual({ cpu });
  });

  it("has the overhead on top", () => {
    const subject = pod("p", { requests: { cpu: "1" }, spec: { overhead: { cpu: "250m", memory: "1Mi" } } });
    expect(text(requestsOf(subject))).toEqual({ cpu: "1250m", memory: "1Mi" });
  });

  it("is assumed for comparing nodes when it is not said", () => {
    expect(text(scoringRequestsOf(pod("p", { requests: { cpu: "1" } })))).toEqual({
      cpu: "1",
      memory: "200Mi",
    });
  });
});
