import { deepFreeze, isConditionTrue, VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { phaseOf, type PhaseFacts } from "./plan/phase.ts";
import { statusOf } from "./status.ts";
import { instanceOf, observedOf, podOf, rolledOut, statefulSetFor } from "./testing/builders.ts";
import { serversOf } from "./testing/servers.ts";
import { transitionsOf } from "./transitions.ts";

const clock = new VirtualClock({ epoch: Date.parse("2026-11-16T02:00:00Z") });

function factsOf(more: Partial<PhaseFacts> = {}, status?: ReturnType<typeof statusOf>): PhaseFacts {
  const instance = instanceOf({ replicas: 3 }, status === undefined ? {} : { status });
  const observed = observedOf(instance, { statefulSet: statefulSetFor(instance, rolledOut(3)) });
  return deepFreeze({ observed, refusals: [], failure: undefined, ...more });
}

function report(facts: PhaseFacts) {
  return statusOf(facts, phaseOf(facts), clock);
}

const refusals = [{ field: "spec.x", message: "cannot be" }];

describe("the status", () => {
  it("has the phase, the counts and the message, and one condition typed by the phase", () => {
    const status = report(factsOf());
    expect(status).toMatchObject({
      status: "Running",
      ready: "True",
      readyReplicas: "3/3",
      replicas: 3,
      selector: "app=redis,redis.github.com/instance=cache",
      lastConditionMessage: "3 of 3 pods are ready.",
      observedGeneration: 1,
    });
    expect(status.conditions?.map(({ type, status: holds }) => [type, holds])).toEqual([
      ["Ready", "True"],
      ["Running", "True"],
      ["FailoverAvailable", "False"],
      ["StorageReady", "False"],
      ["ConfigApplied", "False"],
      ["Available", "False"],
      ["Progressing", "False"],
      ["Degraded", "False"],
      ["AuthReady", "True"],
      ["SpecAccepted", "True"],
    ]);
  });

  it("has the version of the primary, and keeps it while that does not answer", () => {
    const replication = { epoch: 1, primary: "cache-1" };
    const seen = (servers: ReturnType<typeof serversOf>, before: object = {}): string | undefined => {
      const instance = instanceOf({ replicas: 2 }, { status: { ...before } });
      const observed = observedOf(instance, { servers, replication });
      return report({ observed, refusals: [], failure: undefined }).version;
    };
    expect(seen(serversOf({}, {}))).toBe("redis 7.0.15");
    expect(seen(serversOf({}, { fails: "REFUSED" }))).toBeUndefined();
    expect(seen(serversOf({}, { fails: "REFUSED" }), { version: "redis 7.0.11" })).toBe("redis 7.0.11");
  });

  it("does not change when nothing has changed", async () => {
    const first = report(factsOf());
    await clock.advance(60_000);
    expect(report(factsOf({}, first))).toEqual(first);
  });

  it("loses the condition of the phase before", () => {
    const pending = instanceOf({ replicas: 3 });
    const observed = observedOf(pending, {
      statefulSet: statefulSetFor(pending, { ...rolledOut(3), readyReplicas: 0 }),
    });
    const before = report({ observed, refusals: [], failure: undefined });
    expect(before.conditions?.map(({ type }) => type)).toContain("Pending");
    const types = report(factsOf({}, before)).conditions?.map(({ type }) => type);
    expect(types).toContain("Running");
    expect(types).not.toContain("Pending");
  });

  it("is stalled while something is refused, and no longer", () => {
    const refused = report(factsOf({ refusals }));
    expect(refused).toMatchObject({
      status: "Running",
      ready: "True",
      lastConditionMessage: "spec.x cannot be",
    });
    expect(isConditionTrue(refused.conditions, "Stalled")).toBe(true);
    expect(isConditionTrue(refused.conditions, "SpecAccepted")).toBe(false);
    const accepted = report(factsOf({}, refused));
    expect(accepted.conditions?.map(({ type }) => type)).not.toContain("Stalled");
    expect(isConditionTrue(accepted.conditions, "SpecAccepted")).toBe(true);
  });
});

describe("events", () => {
  const eventsOf = (facts: PhaseFacts) => transitionsOf(facts, phaseOf(facts));

  it("tell of a disk that failed also when its server has handed over since, and says nothing of it", () => {
    const facts = factsOf({}, report(factsOf()));
    const failing = { ...facts.observed, servers: serversOf({ isDiskFailing: true }, {}, {}) };
    expect(eventsOf(facts)).toEqual([]);
    expect(transitionsOf(facts, phaseOf(facts), failing)).toMatchObject([{ reason: "DiskWriteFailed" }]);
  });

  it("tell a new phase, once", () => {
    expect(eventsOf(factsOf())).toEqual([
      { type: "Normal", reason: "Running", message: "3 of 3 pods are ready." },
    ]);
    expect(eventsOf(factsOf({}, report(factsOf())))).toEqual([]);
  });

  it("tell a failure, once for each", () => {
    const failure = { reason: "Forbidden", message: "quota" };
    const facts = factsOf({ failure });
    expect(eventsOf(facts)).toEqual([{ type: "Warning", reason: "Failed", message: "quota" }]);
    expect(eventsOf(factsOf({ failure }, report(facts)))).toEqual([]);
    const other = { ...failure, message: "another" };
    expect(eventsOf(factsOf({ failure: other }, report(facts)))).toHaveLength(1);
  });

  it("tell trouble with pods as a warning, once", () => {
    const instance = instanceOf({ replicas: 3 });
    const pod = podOf("cache-0", { phase: "Failed", reason: "Evicted" });
    const statefulSet = statefulSetFor(instance, { ...rolledOut(3), readyReplicas: 2 });
    const facts = (status?: ReturnType<typeof statusOf>, pods = [pod]): PhaseFacts => ({
      observed: observedOf(status === undefined ? instance : { ...instance, status }, { statefulSet, pods }),
      refusals: [],
      failure: undefined,
    });
    const warning = { type: "Warning", reason: "Evicted", message: "pod cache-0 has failed: Evicted" };
    expect(eventsOf(facts())).toContainEqual(warning);
    const told = report(facts());
    expect(told.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "Evicted" }),
    );
    expect(eventsOf(facts(told))).toEqual([]);
    expect(eventsOf(facts(report(facts(told, []))))).toEqual([warning]);
  });

  it("tell a refusal, once", () => {
    const running = report(factsOf());
    expect(eventsOf(factsOf({ refusals }, running))).toEqual([
      { type: "Warning", reason: "SpecRefused", message: "spec.x cannot be" },
    ]);
    expect(eventsOf(factsOf({ refusals }, report(factsOf({ refusals }, running))))).toEqual([]);
  });
});
