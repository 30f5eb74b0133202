import { expect, test } from "vitest";
import { deducedSchema } from "../type-schema/deduced-schema.ts";
import type { Steps } from "../steps.ts";
import { compareValuesInSteps } from "./compare-values.ts";
import { readFieldsV1InSteps } from "./fields-v1.ts";
import { mergeValuesInSteps } from "./merge-values.ts";

const keys = Array.from({ length: 40_000 }, (_, index) => `k${index}`);
const filled = (value: unknown): object => ({ data: Object.fromEntries(keys.map((key) => [key, value])) });

// Each step may hold the event loop: none of them has more than 5,000 of the values.
test.each<{ what: string; work: () => Steps<unknown> }>([
  { what: "what is new", work: () => compareValuesInSteps(deducedSchema, {}, filled("a")) },
  { what: "what is changed", work: () => compareValuesInSteps(deducedSchema, filled("a"), filled("b")) },
  { what: "what is gone", work: () => compareValuesInSteps(deducedSchema, filled("a"), {}) },
  { what: "what both say", work: () => mergeValuesInSteps(deducedSchema, filled("a"), filled("b")) },
  { what: "who owns it", work: () => readFieldsV1InSteps(fieldsOf(keys)) },
])("finds $what of 40,000 values in steps", ({ work }) => {
  expect(countSteps(work())).toBeGreaterThanOrEqual(8);
});

test("compares small values in one step", () => {
  expect(countSteps(compareValuesInSteps(deducedSchema, { a: { b: 1 } }, { a: { b: 2 } }))).toBe(1);
});

function fieldsOf(names: readonly string[]): object {
  return { "f:data": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) };
}

function countSteps(steps: Steps<unknown>): number {
  for (let count = 1; ; count++) if (steps.next().done === true) return count;
}
