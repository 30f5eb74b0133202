import type { StatefulSetStatus } from "@kedge/machinery/kinds/apps/v1";
import { describe, expect, it } from "vitest";
import { instanceOf, observedOf, rolledOut, statefulSetFor } from "../testing/builders.ts";
import { metricsConditions } from "./metrics-condition.ts";

const instance = instanceOf({ replicas: 2, metrics: { enabled: true } });

function conditionsOf(status: StatefulSetStatus | undefined, replicas = 2) {
  const set = statefulSetFor(instance, status, 3);
  const spec = set.spec === undefined ? {} : { spec: { ...set.spec, replicas } };
  return metricsConditions(observedOf(instance, { exporters: { ...set, ...spec } }));
}

describe("whether exporters are ready", () => {
  it("is not said where none are asked for", () => {
    expect(metricsConditions(observedOf(instanceOf()))).toEqual([]);
    expect(metricsConditions(observedOf(instanceOf({ metrics: { enabled: false } })))).toEqual([]);
  });

  it.each([
    ["AllExportersReady", "all are", rolledOut(2, 3), "2 of 2 exporters are ready."],
    [
      "ExportersNotReady",
      "one is not",
      { ...rolledOut(2, 3), readyReplicas: 1 },
      "1 of 2 exporters are ready",
    ],
    [
      "ExportersNotReady",
      "one has an old password",
      { ...rolledOut(2, 3), updatedReplicas: 1 },
      "1 of 2 exporters are ready",
    ],
    ["ExportersNotReady", "their controller has not looked", rolledOut(2, 2), "0 of 2 exporters are ready"],
    [
      "ExportersNotReady",
      "there is no status",
      undefined,
      "app=redis-exporter,redis.github.com/exporter-of=cache",
    ],
  ])("is %s when %s", (reason, _when, status, message) => {
    expect(conditionsOf(status)).toMatchObject([
      {
        type: "MetricsReady",
        status: reason === "AllExportersReady" ? "True" : "False",
        reason,
        message: expect.stringContaining(message) as string,
      },
    ]);
  });

  it("is said before they are made, and where there are no servers", () => {
    expect(metricsConditions(observedOf(instance))).toMatchObject([{ status: "False", reason: "NotMade" }]);
    expect(conditionsOf(rolledOut(0, 3), 0)).toMatchObject([{ status: "False", reason: "NoServers" }]);
  });
});
