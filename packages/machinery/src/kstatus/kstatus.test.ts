import { describe, expect, test } from "vitest";
import { kstatusOf } from "./kstatus.ts";
import { checkKstatus, clock, condition } from "../testing/check-kstatus.ts";

// The cases are those of sigs.k8s.io/cli-utils v0.37.2 and more; their outcomes were compared with that library.
describe("any kind", () => {
  test("what is not there is not found", () => {
    expect(kstatusOf(undefined, clock)).toEqual({
      status: "NotFound",
      reason: "",
      message: "Resource not found",
    });
  });

  const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  checkKstatus(["example.com/v1", "Widget"], {}, [
    ["no status", {}, "Current", "", "Resource is current"],
    [
      "being deleted, whatever else it says",
      { metadata: deleted, status: { observedGeneration: 0, conditions: [condition("Stalled", "True")] } },
      "Terminating",
      "",
      "Resource scheduled for deletion",
    ],
    [
      "its generation not observed",
      {
        metadata: { generation: 2 },
        status: { observedGeneration: 1, conditions: [condition("Ready", "True")] },
      },
      "InProgress",
      "LatestGenerationNotObserved",
      "Widget generation is 2, but latest observed generation is 1",
    ],
    ["ready", { status: { conditions: [condition("Ready", "True")] } }, "Current", "", "Resource is Ready"],
    [
      "not ready",
      { status: { observedGeneration: 1, conditions: [condition("Ready", "False", "NotYet", "wait")] } },
      "InProgress",
      "NotYet",
      "wait",
    ],
    [
      "ready unknown",
      { status: { conditions: [condition("Ready", "Unknown", "Lost", "no node")] } },
      "InProgress",
      "Lost",
      "no node",
    ],
    [
      "other conditions only",
      { status: { conditions: [condition("Some", "False")] } },
      "Current",
      "",
      "Resource is current",
    ],
    [
      "reconciling",
      {
        status: {
          conditions: [condition("Ready", "True"), condition("Reconciling", "True", "Rolling", "1/3")],
        },
      },
      "InProgress",
      "Rolling",
      "1/3",
    ],
    [
      "stalled",
      { status: { conditions: [condition("Stalled", "True", "BadSpec", "no such image")] } },
      "Failed",
      "BadSpec",
      "no such image",
    ],
    [
      "neither reconciling nor stalled",
      { status: { conditions: [condition("Stalled", "False"), condition("Reconciling", "False")] } },
      "Current",
      "",
      "Resource is current",
    ],
    [
      "conditions that are not a list",
      { status: { conditions: "none" } },
      "Current",
      "",
      "Resource is current",
    ],
  ]);

  test("another group's kind of a known name has no rule", () => {
    const object = { apiVersion: "example.com/v1", kind: "Deployment", metadata: {} };
    expect(kstatusOf(object, clock).message).toBe("Resource is current");
  });
});
