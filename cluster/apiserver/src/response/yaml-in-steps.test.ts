import { finish } from "@kedge/machinery";
import fc from "fast-check";
import { expect, test } from "vitest";
import { yamlInSteps, yamlText } from "./yaml-in-steps.ts";

test("is the same text, however many steps it is written in", () => {
  fc.assert(
    fc.property(
      fc.object({ maxDepth: 5, values: [fc.string(), fc.integer(), texts, fc.constant(null)] }),
      most,
      (value, atOnce) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        expect(finish(yamlInSteps(json, atOnce))).toBe(yamlText(json));
      },
    ),
    { numRuns: 500 },
  );
});

const texts = fc.constantFrom(
  "a\nb\n",
  " a\n\n b",
  "true",
  "- x",
  "# no",
  "x: y",
  "é\u2028ü",
  "a\n\n\n",
  "012",
);
const most = fc.integer({ min: 1, max: 8 });

test("a large object is written in many steps", () => {
  const data = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`k${index}`, "v"]));
  const steps = yamlInSteps({ kind: "ConfigMap", data });
  let count = 0;
  while (steps.next().done !== true) count++;
  expect(count).toBeGreaterThanOrEqual(80);
});
