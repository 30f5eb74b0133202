import { describe, expect, test } from "vitest";
import {
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
  type Condition,
  type ConditionUpdate,
} from "./conditions.ts";
import { deepFreeze } from "../json/deep-freeze.ts";

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) };
const now = "2026-01-02T03:04:05Z";
const before = "2025-01-01T00:00:00Z";

const ready: Condition = {
  type: "Ready",
  status: "False",
  observedGeneration: 1,
  lastTransitionTime: before,
  reason: "Starting",
  message: "0 of 3",
};
const stalled: Condition = { ...ready, type: "Stalled" };
const same: ConditionUpdate = {
  type: "Ready",
  status: "False",
  observedGeneration: 1,
  reason: "Starting",
  message: "0 of 3",
};

describe("setCondition", () => {
  test.each<[string, Partial<ConditionUpdate>, Partial<Condition>]>([
    ["a new status has the time of now", { status: "True" }, { status: "True", lastTransitionTime: now }],
    ["a new reason keeps the time", { reason: "Waiting" }, { reason: "Waiting", lastTransitionTime: before }],
    [
      "a new message keeps the time",
      { message: "1 of 3" },
      { message: "1 of 3", lastTransitionTime: before },
    ],
    [
      "a new generation keeps the time",
      { observedGeneration: 2 },
      { observedGeneration: 2, lastTransitionTime: before },
    ],
  ])("%s, and the place in the list", (_name, change, expected) => {
    const conditions = deepFreeze([ready, stalled]);
    const result = setCondition(conditions, { ...same, ...change }, clock);
    expect(result).toEqual([{ ...ready, ...expected }, stalled]);
    expect(conditions).toEqual([ready, stalled]);
  });

  test("hands back the very same list when nothing changes", () => {
    const conditions = [ready, stalled];
    expect(setCondition(conditions, same, clock)).toBe(conditions);
  });

  test.each([[undefined], [[]], [[stalled]]])("adds to %j", (conditions) => {
    expect(setCondition(conditions, same, clock)).toEqual([
      ...(conditions ?? []),
      { ...ready, lastTransitionTime: now },
    ]);
  });

  test("forgets the generation when it is no longer said, and writes no undefined", () => {
    const { observedGeneration: _generation, ...withoutGeneration } = same;
    const [condition] = setCondition([ready], withoutGeneration, clock);
    expect(Object.keys(condition ?? {})).toEqual([
      "type",
      "status",
      "lastTransitionTime",
      "reason",
      "message",
    ]);
  });
});

test("findCondition and isConditionTrue", () => {
  const conditions = [ready, { ...stalled, status: "True" as const }];
  expect(findCondition(conditions, "Ready")).toBe(ready);
  expect(findCondition(conditions, "Missing")).toBeUndefined();
  expect(findCondition(undefined, "Ready")).toBeUndefined();
  expect(isConditionTrue(conditions, "Stalled")).toBe(true);
  expect(isConditionTrue(conditions, "Ready")).toBe(false);
  expect(isConditionTrue(undefined, "Ready")).toBe(false);
});

test("removeCondition hands back the very same list when there is nothing to remove", () => {
  const conditions = [ready, stalled];
  expect(removeCondition(conditions, "Ready")).toEqual([stalled]);
  expect(removeCondition(conditions, "Missing")).toBe(conditions);
  expect(conditions).toHaveLength(2);
});
