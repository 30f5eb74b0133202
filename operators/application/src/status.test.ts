import { isConditionTrue, VirtualClock, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { phaseOf, type PhaseFacts } from "./plan/phase.ts";
import { statusOf } from "./status.ts";
import { applicationOf, deploymentFor, observedOf, ownedMeta, rolledOut } from "./testing/builders.ts";
import { transitionsOf } from "./transitions.ts";

const clock = new VirtualClock();
const refusals = [{ field: "spec.x", message: "cannot be" }];
const failure = { reason: "Forbidden", message: "quota" };

function factsOf(more: Partial<PhaseFacts> = {}, status?: ReturnType<typeof report>): PhaseFacts {
  const application = applicationOf({ replicas: 3 }, status === undefined ? {} : { status });
  const deployment = deploymentFor(application, { status: rolledOut(3) });
  return { observed: observedOf(application, { deployment }), refusals: [], failure: undefined, ...more };
}

function report(facts: PhaseFacts) {
  return statusOf(facts, phaseOf(facts), clock);
}

describe("the status", () => {
  it("says phase, pods, message and conditions", () => {
    expect(report(factsOf())).toMatchObject({
      phase: "Running",
      readyReplicas: "3/3",
      replicas: 3,
      selector: "app=web,apps.example.com/application=web",
      message: "3 of 3 pods are ready.",
      observedGeneration: 1,
      conditions: [
        { type: "Ready", status: "True" },
        { type: "SpecAccepted", status: "True" },
      ],
    });
  });

  it("does not change when nothing has changed", async () => {
    const first = report(factsOf());
    await clock.advance(60_000);
    expect(report(factsOf({}, first))).toEqual(first);
  });

  it.each([
    ["something is refused", { refusals }],
    ["something failed", { failure }],
  ])("is stalled while %s, and no longer", (_what, more) => {
    const stalled = report(factsOf(more));
    expect(isConditionTrue(stalled.conditions, "Stalled")).toBe(true);
    expect(report(factsOf({}, stalled)).conditions?.map(({ type }) => type)).not.toContain("Stalled");
  });
});

describe("events", () => {
  const eventsOf = (facts: PhaseFacts) => transitionsOf(facts, phaseOf(facts));

  it.each([
    ["a phase", {}, { type: "Normal", reason: "Running", message: "3 of 3 pods are ready." }],
    ["a failure", { failure }, { type: "Warning", reason: "Failed", message: "quota" }],
  ])("tell %s, once", (_what, more, note) => {
    expect(eventsOf(factsOf(more))).toEqual([note]);
    expect(eventsOf(factsOf(more, report(factsOf(more))))).toEqual([]);
  });

  it("tell why pods do not start, once, as a warning", () => {
    const starting = (status?: ReturnType<typeof report>): PhaseFacts => {
      const application = applicationOf({ replicas: 3 }, status === undefined ? {} : { status });
      const none = { ...rolledOut(3), readyReplicas: 0, availableReplicas: 0 };
      const deployment = deploymentFor(application, { status: none });
      const waiting = { reason: "ErrImagePull", message: "no such image" };
      const pod: DeepReadonly<Pod> = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: ownedMeta("web-1"),
        spec: { containers: [] },
        status: {
          containerStatuses: [
            { name: "web", image: "x", imageID: "", ready: false, restartCount: 0, state: { waiting } },
          ],
        },
      };
      return factsOf({ observed: observedOf(application, { deployment, pods: [pod] }) });
    };
    expect(eventsOf(starting())).toContainEqual({
      type: "Warning",
      reason: "ErrImagePull",
      message: expect.stringContaining("no such image") as string,
    });
    expect(report(starting())).toMatchObject({ phase: "Creating", readyReplicas: "0/3" });
    expect(eventsOf(starting(report(starting())))).toEqual([]);
  });

  it("tell a refusal, once", () => {
    const running = report(factsOf());
    expect(eventsOf(factsOf({ refusals }, running))).toEqual([
      { type: "Warning", reason: "SpecRefused", message: "spec.x cannot be" },
    ]);
    expect(eventsOf(factsOf({ refusals }, report(factsOf({ refusals }, running))))).toEqual([]);
  });
});
