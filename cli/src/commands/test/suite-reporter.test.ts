import { expect, it } from "vitest";
import { reasonOf, suiteOf } from "./suite-reporter.ts";

it.each([
  ["packages/client/src/transport/transport.test.ts", "packages/client"],
  ["cli/src/app.test.ts", "cli"],
  ["lint/lint.test.ts", "lint"],
  ["e2e/launcher/launcher.test.ts", "e2e/launcher"],
  ["operators/redis/src/plan/scale.test.ts", "operators/redis"],
])("%s belongs to %s", (path, suite) => {
  expect(suiteOf(path)).toBe(suite);
});

it.each([
  ["containers need root", {}, { meta: () => ({ skipped: "containers need root" }) }],
  ["what prepares it failed", { errors: () => [new Error("no")] }, {}],
  ["no reason given; say it with skip(reason)", {}, {}],
])("a test is skipped because: %s", (reason, file, suite) => {
  const nothing = { errors: () => [], meta: () => ({}) };
  const parent = { ...nothing, ...suite, parent: { ...nothing, ...file } };
  expect(reasonOf({ parent, options: { mode: "skip" } })).toBe(reason);
});
